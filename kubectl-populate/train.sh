#!/bin/sh
# usage: kubectl-populate/train.sh JAVA. Makes the AOT cache: runs an upload to a claim that has this image
# already, at a server of files instead of an API server.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
java=$1
app=$here/target/app
work=$(mktemp -d)
web=
trap '[ -z "$web" ] || kill $web 2>/dev/null || true; rm -rf "$work"' EXIT
. "$here/../.mvn/find-jdk.sh"
rm -f "$app/app.aot" "$app/trained-in"
head -c 2097152 /dev/zero >"$work/disk.img"
digest=$(sha256sum "$work/disk.img" | cut -d ' ' -f 1)

# object PATH JSON
object() {
  mkdir -p "$work/api/${1%/*}"
  printf '%s' "$2" >"$work/api/$1"
}
core=api/v1/namespaces/default
ours=apis/pvcpopulators.dev/v1alpha1/namespaces/default
object $core/persistentvolumeclaims/vm1 '{"apiVersion":"v1","kind":"PersistentVolumeClaim",
  "metadata":{"namespace":"default","name":"vm1","uid":"1","resourceVersion":"1"},"spec":{
  "accessModes":["ReadWriteOnce"],"storageClassName":"standard","volumeName":"pv1",
  "dataSource":{"apiGroup":"pvcpopulators.dev","kind":"DiskImage","name":"vm1"},
  "resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Bound"}}'
object $ours/diskimages/vm1 '{"apiVersion":"pvcpopulators.dev/v1alpha1","kind":"DiskImage",
  "metadata":{"namespace":"default","name":"vm1","resourceVersion":"1"},"spec":{"upload":{}}}'
object $ours/diskpopulations/vm1 '{"apiVersion":"pvcpopulators.dev/v1alpha1","kind":"DiskPopulation",
  "metadata":{"namespace":"default","name":"vm1","uid":"2","resourceVersion":"1"},"spec":{"claimUID":"1",
  "imageName":"vm1","image":{"upload":{}}},"status":{"phase":"Ready","message":"Bound","percent":100,
  "sourceDigest":"sha256:'"$digest"'","conditions":[{"type":"Ready","status":"True","reason":"Ready"}]}}'
object $core/pods '{"apiVersion":"v1","kind":"PodList","metadata":{},"items":[]}'

"$JAVA_HOME/bin/keytool" -genkeypair -keyalg RSA -keysize 2048 -storetype PKCS12 \
  -keystore "$work/api.p12" -storepass training -alias api -dname CN=127.0.0.1 -ext san=ip:127.0.0.1 \
  -validity 2 2>/dev/null
"$JAVA_HOME/bin/keytool" -exportcert -rfc -keystore "$work/api.p12" -storepass training -alias api \
  -file "$work/api.crt" 2>/dev/null
: >"$work/web"
"$JAVA_HOME/bin/java" -XX:+UseSerialGC "$here/train/FileServer.java" "$work/api" "$work/api.p12" \
  training >"$work/web" 2>"$work/web.log" &
web=$!
port=
# Five minutes, for a loaded machine.
for _ in $(seq 3000); do
  port=$(sed -n 's/^[0-9][0-9]*$/&/p' "$work/web")
  [ -n "$port" ] && break
  kill -0 "$web" 2>/dev/null || break
  sleep 0.1
done
[ -n "$port" ] || { cat "$work/web.log" >&2; exit 70; }
cat >"$work/kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{name: files, cluster: {server: "https://127.0.0.1:$port", certificate-authority: "$work/api.crt"}}]
users: [{name: someone, user: {token: training}}]
contexts: [{name: files, context: {cluster: files, user: someone}}]
current-context: files
END
"$java" -XX:AOTCacheOutput="$app/app.aot" -Xlog:aot=off -Xlog:cds=off "@$here/java.args" \
  -jar "$app/kubectl-populate.jar" upload "$work/disk.img" --claim vm1 \
  --kubeconfig "$work/kubeconfig" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 70; }
[ -s "$app/app.aot" ] || { cat "$work/log" >&2; exit 70; }
printf '%s\n' "$app" >"$app/trained-in"
