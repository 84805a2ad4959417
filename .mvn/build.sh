#!/bin/sh
# Builds the packaged services, without tests; does nothing if the last build used the same sources
# and the same JDK, and its results are unchanged.
#
# Without git, the script cannot tell which files are sources, so each run builds.
set -eu
cd "$(dirname "$0")/.."
. .mvn/find-jdk.sh
stamp=target/build-stamp
services=$(service-parent/list.sh)

# Prints a checksum of the files that a build reads, without deleted and ignored ones.
inputs() {
  git ls-files -coz --exclude-standard -- . ':!*.md' ':!docs' ':!bench' ':!.ci' ':!it/demo.sh' \
    >target/build-inputs || return 1
  { cat "$JAVA_HOME/release"; echo "$JAVA_HOME"; xargs -0 sha256sum 2>/dev/null <target/build-inputs ||
    [ $? -eq 123 ]; } | sha256sum
}

# Prints a checksum of the names, sizes and times of the built files: Maven may have been run on
# other sources meanwhile.
outputs() {
  for service in $services; do
    [ -f "$service/target/quarkus-app/quarkus-run.jar" ] || return 1
  done
  for service in $services; do
    find "$service/target/quarkus-app" -type f -printf '%p %s %T@\n'
  done | LC_ALL=C sort | sha256sum
}

mkdir -p target
# A second build waits for the first one, and then has nothing to do.
exec 9>target/build-lock
flock 9
before=$(inputs) || before=
if [ -n "$before" ] && made=$(outputs) && [ "$(cat "$stamp" 2>/dev/null)" = "$before
$made" ]; then
  exit 0
fi
rm -f "$stamp"
echo "Building; the first time Maven fetches what it needs, about 180 MB"
# Prints each module as it starts, and errors; the log has the rest. Maven does not get the lock,
# because a process that it leaves running would keep it.
{
  status=0
  ./mvnw -B -ntp -DskipTests -Daot.skip=false -pl '!it/browser,!it/fuzz,!it/torture,!it/operator' package 2>&1 9>&- || status=$?
  echo "$status" >target/build-status
} | tee target/build-log | sed -un -e 's/^\[INFO\] Building \(.*[^ ]\) *\(\[[0-9/]*\]\)$/  \2 \1/p' \
  -e '/^\[ERROR\]/,/^\[\(INFO\|WARNING\)\]/{/^\[\(INFO\|WARNING\)\]/!p}'
status=$(cat target/build-status)
[ "$status" -eq 0 ] || {
  echo "The build failed; all that it printed is in target/build-log" >&2
  exit "$status"
}
made=$(outputs) || {
  echo "Maven packaged no services" >&2
  exit 70
}
[ -z "$before" ] || printf '%s\n%s\n' "$before" "$made" >"$stamp"
