# Sourced by mvnw and by the run scripts: sets JAVA_HOME to a JDK 25 or newer, or ends with exit
# status 69 (EX_UNAVAILABLE) and one line that says what was searched.

jdk_major() {
  # The feature release of the JDK in directory $1 from its `release` file; 0 when it is not a JDK.
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || { echo 0; return; }
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" | head -n 1
}

find_jdk() {
  on_path=$(command -v javac 2>/dev/null) && on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
  for candidate in "${JAVA_HOME:-}" "${JDK25_HOME:-}" "$on_path" /usr/lib/jvm/*25* /usr/lib/jvm/*; do
    [ -n "$candidate" ] || continue
    major=$(jdk_major "$candidate")
    if [ "${major:-0}" -ge 25 ]; then
      JAVA_HOME=$candidate
      export JAVA_HOME
      return 0
    fi
  done
  echo "A JDK 25 or newer is needed; searched JAVA_HOME, JDK25_HOME, javac on the PATH and" \
    "/usr/lib/jvm/*. Install one there, for example Eclipse Temurin 25 (package temurin-25-jdk)," \
    "or set JAVA_HOME." >&2
  exit 69
}

find_jdk
