# Sourced by run-service.sh and train-service.sh: prints a checksum of the names, sizes and times of the
# jars in folder $1. Only the service's first jar is checked by the JVM before it takes an AOT cache; the
# others are loaded by Quarkus, from whatever a build has put there meanwhile.
jars() {
  find "$1" -name '*.jar' -printf '%P %s %T@\n' | LC_ALL=C sort | cksum
}
