# Sourced by mvnw and by the run scripts: sets JAVA_HOME to a JDK 25 or newer, or ends with exit
# status 69 (EX_UNAVAILABLE) and one line that says what was searched.

jdk_major() {
  # Sets "major": the feature release of the JDK in directory $1 from its `release` file; 0 when it is
  # not a JDK. Uses no other program, because every start of a service waits for this function.
  major=0
  [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
  while IFS= read -r line; do
    case $line in
      'JAVA_VERSION="'*) line=${line#*\"}; major=${line%%[!0-9]*}; break ;;
    esac
  done <"$1/release"
}

find_jdk() {
  for candidate in "${JAVA_HOME:-}" "${JDK25_HOME:-}" javac /usr/lib/jvm/*25* /usr/lib/jvm/*; do
    if [ "$candidate" = javac ]; then
      candidate=$(command -v javac 2>/dev/null) && candidate=$(dirname "$(dirname "$(readlink -f "$candidate")")")
    fi
    [ -n "$candidate" ] || continue
    jdk_major "$candidate"
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
