# Sourced by run-service.sh and train-service.sh: prints a checksum of the names, sizes and times of
# the jars in folder $1. Before the JVM uses an AOT cache, it checks only the service's first jar;
# Quarkus loads the other jars, which a build may have replaced meanwhile.
jars() {
  find "$1" -name '*.jar' -printf '%P %s %T@\n' | LC_ALL=C sort | cksum
}
