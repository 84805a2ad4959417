# A server of static files that replaces the API server. Sourced by train.sh of the operator and of
# kubectl-populate, which set "$work", a directory, and JAVA_HOME.

# answer PATH JSON: what the server answers
answer() {
  mkdir -p "$(dirname "$work/api/$1")"
  printf '%s' "$2" >"$work/api/$1"
}

# serve COMMAND...: starts the server, which gets the folder of the answers, a PKCS #12 file and its
# password, and prints its port. Sets "$web", its process, and writes "$work/kubeconfig".
serve() {
  "$JAVA_HOME/bin/keytool" -genkeypair -keyalg RSA -keysize 2048 -storetype PKCS12 \
    -keystore "$work/api.p12" -storepass training -alias api -dname CN=127.0.0.1 -ext san=ip:127.0.0.1 \
    -validity 2 2>/dev/null
  "$JAVA_HOME/bin/keytool" -exportcert -rfc -keystore "$work/api.p12" -storepass training -alias api \
    -file "$work/api.crt" 2>/dev/null
  : >"$work/web"
  "$@" "$work/api" "$work/api.p12" training >"$work/web" 2>"$work/web.log" &
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
}
