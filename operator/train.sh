#!/bin/sh
# usage: operator/train.sh JAVA [APPLICATION]. Lists every kind that the operator watches, with one claim
# whose DiskImage is missing, from a server of files instead of an API server.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
web=
trap '[ -z "$pid$web" ] || kill $pid $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../.mvn/find-jdk.sh"

# list PATH GROUP_VERSION KIND [ITEM]
list() {
  mkdir -p "$work/api/${1%/*}"
  printf '{"apiVersion":"%s","kind":"%sList","metadata":{"resourceVersion":"1"},"items":[%s]}' \
    "$2" "$3" "${4:-}" >"$work/api/$1"
}
list api/v1/persistentvolumeclaims v1 PersistentVolumeClaim '{"apiVersion":"v1",
  "kind":"PersistentVolumeClaim","metadata":{"namespace":"default","name":"vm1","uid":"1",
  "resourceVersion":"1"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"standard",
  "dataSource":{"apiGroup":"pvcpopulators.dev","kind":"DiskImage","name":"fedora"},
  "resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}'
list api/v1/persistentvolumes v1 PersistentVolume
list api/v1/pods v1 Pod
list api/v1/services v1 Service
list apis/apps/v1/deployments apps/v1 Deployment
list apis/batch/v1/jobs batch/v1 Job
list apis/storage.k8s.io/v1/storageclasses storage.k8s.io/v1 StorageClass
list apis/pvcpopulators.dev/v1alpha1/diskimages pvcpopulators.dev/v1alpha1 DiskImage
list apis/pvcpopulators.dev/v1alpha1/diskpopulations pvcpopulators.dev/v1alpha1 DiskPopulation
list apis/pvcpopulators.dev/v1alpha1/dynamicvolumes pvcpopulators.dev/v1alpha1 DynamicVolume

: >"$work/web"
"$JAVA_HOME/bin/java" -XX:+UseSerialGC "$here/train/FileApi.java" "$work/api" >"$work/web" 2>&1 &
web=$!
port=
# Five minutes, for a loaded machine.
for _ in $(seq 3000); do
  port=$(sed -n 's/^[0-9][0-9]*$/&/p' "$work/web")
  [ -n "$port" ] && break
  kill -0 "$web" 2>/dev/null || break
  sleep 0.1
done
[ -n "$port" ] || { cat "$work/web" >&2; exit 70; }
cat >"$work/kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{name: files, cluster: {server: "http://127.0.0.1:$port"}}]
users: [{name: none, user: {}}]
contexts: [{name: files, context: {cluster: files, user: none}}]
current-context: files
END
export KUBECONFIG="$work/kubeconfig" OPERATOR_LEADER_ELECTION=false

exercise() {
  for _ in $(seq 300); do
    curl -sf -o /dev/null "$1/q/health/ready" && break
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; exit 70; }
    sleep 0.1
  done
  curl -sf -o /dev/null "$1/q/metrics"
}

. "$here/../service-parent/train-service.sh"
