#!/bin/sh
# usage: operator/train.sh JAVA [APPLICATION]. The operator becomes the leader, lists every kind that it
# watches, and creates an event about a claim whose DiskImage is missing. A server of static files
# replaces the API server. It uses HTTP/2 over TLS, and WebSockets for watches, so that the cache has the
# classes of a real start.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
work=$(mktemp -d)
pid=
web=
trap '[ -z "$pid$web" ] || kill $pid $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../.mvn/find-jdk.sh"
. "$here/train/api.sh"

# list PATH GROUP_VERSION KIND [ITEM]
list() {
  answer "$1" '{"apiVersion":"'"$2"'","kind":"'"$3"'List","metadata":{"resourceVersion":"1"},"items":['"${4:-}"']}'
}
list api/v1/persistentvolumeclaims v1 PersistentVolumeClaim '{"apiVersion":"v1",
  "kind":"PersistentVolumeClaim","metadata":{"namespace":"default","name":"vm1","uid":"1",
  "resourceVersion":"1"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"standard",
  "dataSource":{"apiGroup":"pvcpopulators.dev","kind":"DiskImage","name":"fedora"},
  "resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}}'
list api/v1/persistentvolumes v1 PersistentVolume '{"apiVersion":"v1","kind":"PersistentVolume",
  "metadata":{"name":"pv1","uid":"2","resourceVersion":"1"},"spec":{"accessModes":["ReadWriteOnce"],
  "capacity":{"storage":"1Gi"},"claimRef":{"kind":"PersistentVolumeClaim","namespace":"default",
  "name":"other","uid":"3"},"hostPath":{"path":"/volumes/pv1"}},"status":{"phase":"Bound"}}'
list api/v1/pods v1 Pod
list api/v1/services v1 Service
list apis/apps/v1/deployments apps/v1 Deployment
list apis/batch/v1/jobs batch/v1 Job
list apis/storage.k8s.io/v1/storageclasses storage.k8s.io/v1 StorageClass '{
  "apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"standard","uid":"4",
  "resourceVersion":"1"},"provisioner":"example.test/volumes"}'
list apis/pvcpopulators.dev/v1alpha1/diskimages pvcpopulators.dev/v1alpha1 DiskImage
list apis/pvcpopulators.dev/v1alpha1/diskpopulations pvcpopulators.dev/v1alpha1 DiskPopulation
list apis/pvcpopulators.dev/v1alpha1/dynamicvolumes pvcpopulators.dev/v1alpha1 DynamicVolume
answer version '{"major":"1","minor":"36","gitVersion":"v1.36.0"}'
answer apis/authorization.k8s.io/v1/selfsubjectrulesreviews '{"apiVersion":"authorization.k8s.io/v1",
  "kind":"SelfSubjectRulesReview","status":{"incomplete":false,"nonResourceRules":[],"resourceRules":[
  {"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["*"]}]}}'
answer apis/coordination.k8s.io/v1/namespaces/pvc-populators/leases '{"apiVersion":"coordination.k8s.io/v1",
  "kind":"Lease","metadata":{"namespace":"pvc-populators","name":"pvc-populators-operator","uid":"5",
  "resourceVersion":"1"},"spec":{}}'
answer api/v1/namespaces/default/events '{"apiVersion":"v1","kind":"Event","metadata":{"namespace":"default",
  "name":"vm1.1","uid":"6","resourceVersion":"1"},"involvedObject":{}}'

serve "$JAVA_HOME/bin/java" -XX:+UseSerialGC --sun-misc-unsafe-memory-access=allow \
  -cp "${2:-$here/target/quarkus-app}/lib/main/*" "$here/train/FileApi.java"
export KUBECONFIG="$work/kubeconfig"

exercise() {
  for _ in $(seq 300); do
    curl -sf -o /dev/null "$1/q/health/ready" &&
      curl -sf "$1/q/metrics" | grep -q '^pvc_populator_operator_leading.* 1' && break
    kill -0 "$pid" 2>/dev/null || { cat "$work/log" >&2; exit 70; }
    sleep 0.1
  done
}

. "$here/../service-parent/train-service.sh"
