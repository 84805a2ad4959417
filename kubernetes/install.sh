#!/bin/sh
# Installs the operator, its kinds and its classes into the cluster of the current kubeconfig, or
# uninstalls them. `make install` and `make uninstall` run it. It may be repeated.
# usage: kubernetes/install.sh install|uninstall
#   REGISTRY  HOST/PREFIX: builds the images and pushes them there. Without it, they are built and
#             loaded into the nodes of kind, k3d or minikube
#   INSECURE  true: the registry may be plain HTTP (README.md of images/)
#   IMAGES    present: neither builds nor pushes nor loads images; the nodes can get them
#   LEND      the class whose volumes the lending class lends, or none; default: the default class, if
#             its provisioner is known to ignore data sources
#   WAIT      how long to wait for the operator; default 5m; 0: does not wait
#   FORCE     true: uninstalls also while claims are being filled
# Exit status: 64 for a wrong setting or an unknown cluster, 69 without kubectl or a cluster, 75 if
# claims are being filled.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
namespace=pvc-populators
local_prefix=localhost/pvc-populators
# Provisioners that bind a claim to an empty volume instead of leaving it to the operator.
ignorant='rancher.io/local-path k8s.io/minikube-hostpath microk8s.io/hostpath docker.io/hostpath'
work=$root/target/install

fail() { # STATUS MESSAGE
  echo "$2" >&2
  exit "$1"
}

exists() { # ARGUMENT...: whether an object exists; ends the script if the cluster does not answer
  found=$(kubectl get --ignore-not-found --output=name "$@") || exit 69
  [ -n "$found" ]
}

check_cluster() {
  command -v kubectl >/dev/null 2>&1 || fail 69 "$1 needs kubectl on the PATH"
  context=$(kubectl config current-context 2>/dev/null) ||
    fail 69 "$1 needs a current context: kubectl config get-contexts lists them"
  version=$(kubectl get --raw /version) || fail 69 "The API server of the context $context does not answer"
  minor=$(printf '%s' "$version" | sed -n 's/.*"minor": *"\([0-9]*\).*/\1/p')
  # These servers do not know the rules (CEL) in the kinds; the operator checks them itself.
  validate=--validate=true
  [ "${minor:-99}" -ge 25 ] || validate=--validate=false
}

# Prints the command that loads an archive into the nodes of the current context.
loader() {
  case $context in
    kind-*) echo "kind load image-archive --name ${context#kind-}" ;;
    k3d-*) echo "k3d image import --cluster ${context#k3d-}" ;;
    *)
      profile=$(kubectl get nodes \
        --output='jsonpath={.items[0].metadata.labels.minikube\.k8s\.io/name}' 2>/dev/null) || profile=
      [ -z "$profile" ] || echo "minikube image load --profile $profile"
      ;;
  esac
}

# Succeeds if a registry answers by plain HTTP, and does not use TLS (exit code 35 of curl).
plain_http() {
  status=0
  curl -sk -o /dev/null -m 5 "https://$1/v2/" 2>/dev/null || status=$?
  [ "$status" -eq 35 ] && curl -s -o /dev/null -m 5 "http://$1/v2/" 2>/dev/null
}

provide_images() {
  case ${IMAGES:-} in
    present) return ;;
    '') ;;
    *) fail 64 "IMAGES: expected present or nothing, found $IMAGES" ;;
  esac
  command -v apt-get >/dev/null 2>&1 || [ -n "${IMAGE_BASE:-}" ] ||
    fail 69 "Building the images needs Debian: build there, or set IMAGE_BASE (kubernetes/images/README.md)"
  if [ -n "${REGISTRY:-}" ]; then
    if plain_http "${REGISTRY%%/*}" && [ "${INSECURE:-}" != true ]; then
      fail 64 "The registry ${REGISTRY%%/*} has no TLS; to allow that: make install REGISTRY=$REGISTRY INSECURE=true"
    fi
    make -C "$root" --no-print-directory images REGISTRY="$REGISTRY" INSECURE="${INSECURE:-}"
    return
  fi
  load=$(loader)
  [ -n "$load" ] || fail 64 "The context $context is none of kind, k3d and minikube: set \
REGISTRY=HOST/PREFIX, or IMAGES=present if the nodes have the images"
  command -v "${load%% *}" >/dev/null 2>&1 || fail 69 "Loading images needs ${load%% *} on the PATH"
  make -C "$root" --no-print-directory images
  for archive in "$here"/images/target/*.tar; do
    echo "Loading $(basename "$archive")"
    # shellcheck disable=SC2086 # a command with its options
    $load "$archive"
  done
}

# Prints the name of the default class, or nothing. Of several default classes, Kubernetes uses the newest.
default_class() {
  classes=$(kubectl get storageclasses --sort-by=.metadata.creationTimestamp --output='jsonpath={range .items[*]}{.metadata.name}{" "}{.metadata.annotations.storageclass\.kubernetes\.io/is-default-class}{"\n"}{end}')
  echo "$classes" | sed -n 's/ true$//p' | tail -n 1
}

# Prints the class whose volumes are to be lent, or nothing.
lent_class() {
  case ${LEND:-} in
    none) ;;
    '')
      class=$(default_class)
      [ -n "$class" ] || return 0
      provisioner=$(kubectl get storageclass "$class" --output='jsonpath={.provisioner}')
      case " $ignorant " in *" $provisioner "*) echo "$class" ;; esac
      ;;
    *)
      exists storageclass "$LEND" || fail 64 "LEND: the cluster has no class $LEND"
      echo "$LEND"
      ;;
  esac
}

# Writes the kustomization of this cluster: the examples, with its images and classes. Classes that
# exist are left out, because the API server permits no change of their parameters.
write_kustomization() { # CLASS-TO-LEND CLASS-FOR-CACHES
  mkdir -p "$work"
  lending=false
  if [ -n "$1" ] && ! exists storageclass "lent-$1"; then lending=true; fi
  streams=true
  if exists storageclass disk-stream; then streams=false; fi
  {
    echo 'apiVersion: kustomize.config.k8s.io/v1beta1'
    echo 'kind: Kustomization'
    echo 'resources:'
    echo '  - ../../kubernetes/examples/operator'
    [ "$streams" = false ] || echo '  - ../../kubernetes/examples/stream-class'
    [ "$lending" = false ] || echo '  - ../../kubernetes/examples/lending-class'
    if exists crd volumepopulators.populator.storage.k8s.io; then
      echo '  - ../../kubernetes/examples/volume-populator'
    fi
    echo 'patches:'
    if [ "$streams" = true ] && [ -n "$2" ]; then
      patch StorageClass disk-stream "{op: replace, path: /parameters/cacheClass, value: $2}"
    elif [ "$streams" = true ]; then
      patch StorageClass disk-stream '{op: remove, path: /parameters}'
    fi
    if [ "$lending" = true ]; then
      mode=$(kubectl get storageclass "$1" --output='jsonpath={.volumeBindingMode}')
      patch StorageClass lent-standard "{op: replace, path: /metadata/name, value: lent-$1}" \
        "{op: replace, path: /parameters/class, value: $1}" \
        "{op: replace, path: /volumeBindingMode, value: $mode}"
    fi
    if [ -n "${REGISTRY:-}" ]; then
      env=/spec/template/spec/containers/0/env/-
      # The tag is the same after the next build, and nodes must pull it again.
      patch Deployment operator \
        "{op: add, path: $env, value: {name: OPERATOR_IMAGE_PREFIX, value: $REGISTRY}}" \
        "{op: add, path: $env, value: {name: OPERATOR_IMAGE_PULL_POLICY, value: Always}}" \
        '{op: replace, path: /spec/template/spec/containers/0/imagePullPolicy, value: Always}'
      echo 'images:'
      echo "  - name: $local_prefix/operator"
      echo "    newName: $REGISTRY/operator"
    fi
  } >"$work/kustomization.yaml"
}

patch() { # KIND NAME OPERATION...
  echo "  - target: {kind: $1, name: $2}"
  echo '    patch: |-'
  shift 2
  for operation in "$@"; do
    echo "      - $operation"
  done
}

install() {
  case ${REGISTRY:-} in
    *[!A-Za-z0-9._:/-]* | *//* | */) fail 64 "REGISTRY: expected HOST/PREFIX, found $REGISTRY" ;;
  esac
  check_cluster "make install"
  lent=$(lent_class)
  cache=$(default_class)
  provide_images
  again=false
  if exists deployment operator --namespace="$namespace"; then again=true; fi
  write_kustomization "$lent" "$cache"
  kubectl apply "$validate" --filename="$here/base/operator/namespace.yaml"
  # Before the operator, which reads the key only at its start.
  if ! exists secret operator-key --namespace="$namespace"; then
    head -c 32 /dev/urandom | base64 |
      kubectl create secret generic operator-key --namespace="$namespace" --from-file=key=/dev/stdin
  fi
  kubectl apply "$validate" --kustomize="$work"
  # The image's name is the same after a new build.
  [ "$again" = false ] || kubectl rollout restart deployment/operator --namespace="$namespace"
  [ "${WAIT:-5m}" = 0 ] ||
    kubectl rollout status deployment/operator --namespace="$namespace" --timeout="${WAIT:-5m}" ||
    fail 69 "The operator does not start; the reason: kubectl --namespace=$namespace describe pods"
  echo "The operator is installed in the namespace $namespace of the context $context."
  if [ -n "$lent" ]; then
    echo "Claims need storageClassName: lent-$lent, because the provisioner of $lent ignores data sources."
  else
    echo "No lending class was created. If claims are bound to empty volumes, repeat this command with LEND=CLASS."
  fi
}

# Prints NAMESPACE/NAME of each object of a kind that a filter of lines admits.
objects_of() { # RESOURCE JSONPATH SED-SCRIPT
  exists crd "$1" || return 0
  kubectl get "$1" --all-namespaces \
    --output="jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name} $2{\"\\n\"}{end}" >"$work/objects" || exit 69
  sed -n "$3" "$work/objects"
}

# Prints NAMESPACE/NAME of each unbound claim that refers to one of our kinds and has no DiskPopulation.
unseen_claims() {
  objects_of diskpopulations.pvcpopulators.dev '' 's/ .*//p' >"$work/populations" || exit 69
  path='{.metadata.namespace}/{.metadata.name} {.status.phase} {.spec.dataSource.apiGroup}'
  kubectl get persistentvolumeclaims --all-namespaces \
    --output="jsonpath={range .items[*]}$path{\"\n\"}{end}" >"$work/objects" || exit 69
  # grep ends with 1 if no line remains.
  sed -n 's/ Pending pvcpopulators\.dev$//p' "$work/objects" | grep -vxF -f "$work/populations" || true
}

refuse_while_in_use() {
  filling=$(objects_of diskpopulations.pvcpopulators.dev '{.status.phase}' '/ Ready$/d;/ Failed$/d;s/ .*//p') || exit 69
  [ -z "$filling" ] || fail 75 "Claims are being filled; wait for them, delete them, or set FORCE=true:
$filling"
  unseen=$(unseen_claims) || exit 69
  [ -z "$unseen" ] || fail 75 "Claims wait for the operator; wait for them, delete them, or set FORCE=true:
$unseen"
  volumes=$(objects_of dynamicvolumes.pvcpopulators.dev '' 's/ .*//p') || exit 69
  [ -z "$volumes" ] || fail 75 "Only the operator can remove these DynamicVolumes and the claims of \
streams; delete them first, or set FORCE=true:
$volumes"
}

uninstall() {
  check_cluster "make uninstall"
  mkdir -p "$work"
  [ "${FORCE:-}" = true ] || refuse_while_in_use
  kubectl delete --ignore-not-found --kustomize="$here/base/operator"
  kubectl get storageclasses --selector=app.kubernetes.io/part-of=pvc-populators --output=name |
    while read -r class; do kubectl delete --ignore-not-found "$class"; done
  if exists crd volumepopulators.populator.storage.k8s.io; then
    kubectl delete --ignore-not-found --kustomize="$here/examples/volume-populator"
  fi
  kept=$(
    objects_of diskimages.pvcpopulators.dev '' 's/ .*//p'
    objects_of dynamicvolumes.pvcpopulators.dev '' 's/ .*//p'
  )
  if [ -z "$kept" ]; then
    kubectl delete --ignore-not-found --kustomize="$here/base/operator-kinds"
  else
    echo "The kinds stay, because there are objects of them. DynamicVolumes can be removed only by the"
    echo "operator: install it again for that. The command that deletes the others (claims keep their disks):"
    echo "  kubectl delete --kustomize=$here/base/operator-kinds"
    echo "$kept"
  fi
}

case ${1:-} in
  install) install ;;
  uninstall) uninstall ;;
  *) fail 64 "usage: kubernetes/install.sh install|uninstall" ;;
esac
