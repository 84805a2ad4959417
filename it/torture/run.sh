#!/bin/sh
# Plays rounds of faults against the packaged services of this checkout, as root. README.md lists
# the arguments.
#
#   it/torture/run.sh [ARGUMENT…]     after ./mvnw -DskipTests package
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../.mvn/find-jdk.sh"
exec "$JAVA_HOME/bin/java" -XX:+UseSerialGC \
  -cp "$here/target/classes:$(cat "$here/target/class-path")" dev.pvcpopulators.it.torture.Torture "$@"
