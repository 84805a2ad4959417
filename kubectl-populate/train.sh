#!/bin/sh
# usage: kubectl-populate/train.sh JAVA. Makes the AOT cache: runs an upload to a claim that has this image
# already. A server of static files replaces the API server.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
app=$here/target/app
work=$(mktemp -d)
web=
trap '[ -z "$web" ] || kill $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../.mvn/find-jdk.sh"
. "$here/../operator/train/api.sh"
rm -f "$app/app.aot" "$app/trained-in"
head -c 2097152 /dev/zero >"$work/disk.img"
digest=$(sha256sum "$work/disk.img" | cut -d ' ' -f 1)

core=api/v1/namespaces/default
ours=apis/pvcpopulators.dev/v1alpha1/namespaces/default
answer $core/persistentvolumeclaims/vm1 '{"apiVersion":"v1","kind":"PersistentVolumeClaim",
  "metadata":{"namespace":"default","name":"vm1","uid":"1","resourceVersion":"1"},"spec":{
  "accessModes":["ReadWriteOnce"],"storageClassName":"standard","volumeName":"pv1",
  "dataSource":{"apiGroup":"pvcpopulators.dev","kind":"DiskImage","name":"vm1"},
  "resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Bound"}}'
answer $ours/diskimages/vm1 '{"apiVersion":"pvcpopulators.dev/v1alpha1","kind":"DiskImage",
  "metadata":{"namespace":"default","name":"vm1","resourceVersion":"1"},"spec":{"upload":{}}}'
answer $ours/diskpopulations/vm1 '{"apiVersion":"pvcpopulators.dev/v1alpha1","kind":"DiskPopulation",
  "metadata":{"namespace":"default","name":"vm1","uid":"2","resourceVersion":"1"},"spec":{"claimUID":"1",
  "imageName":"vm1","image":{"upload":{}}},"status":{"phase":"Ready","message":"Bound","percent":100,
  "sourceDigest":"sha256:'"$digest"'","conditions":[{"type":"Ready","status":"True","reason":"Ready"}]}}'
answer $core/pods '{"apiVersion":"v1","kind":"PodList","metadata":{},"items":[]}'

serve "$JAVA_HOME/bin/java" -XX:+UseSerialGC "$here/train/FileServer.java"
"$java" -XX:AOTCacheOutput="$app/app.aot" -Xlog:aot=off -Xlog:cds=off "@$here/java.args" \
  -jar "$app/kubectl-populate.jar" upload "$work/disk.img" --claim vm1 \
  --kubeconfig "$work/kubeconfig" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 70; }
[ -s "$app/app.aot" ] || { cat "$work/log" >&2; exit 70; }
printf '%s\n' "$app" >"$app/trained-in"
