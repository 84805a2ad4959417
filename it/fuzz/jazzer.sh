#!/usr/bin/env bash
# Runs Jazzer with a target: it/fuzz/jazzer.sh TARGET OPTION… CORPUS…
# Needs an earlier run of ./mvnw -Pfuzz -pl it/fuzz -am -DskipTests package
set -euo pipefail
cd "$(dirname "$0")"
. ../../.mvn/find-jdk.sh

target=$1
shift
class=$(cd target/classes && find . -name "${target}Fuzz.class")
class=${class#./}
class=${class%.class}
# Its sanitizer of Unsafe breaks Netty.
exec "$JAVA_HOME/bin/java" -Xmx768m -XX:+UseSerialGC -XX:-UsePerfData \
  -XX:-OmitStackTraceInFastThrow --enable-native-access=ALL-UNNAMED \
  --add-opens=java.base/java.nio=ALL-UNNAMED -cp "target/classes:$(cat target/class-path)" \
  com.code_intelligence.jazzer.Jazzer --target_class="${class//\//.}" \
  --instrumentation_includes='dev.pvcpopulators.**' \
  --disabled_hooks=com.code_intelligence.jazzer.sanitizers.UnsafeSanitizer "$@"
