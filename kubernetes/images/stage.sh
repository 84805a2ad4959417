#!/bin/sh
# Makes a directory with the files that a service's image has in addition to its base: the packaged
# service with the times that its files have in the image, the native libraries (their jars would
# unpack them into /tmp), the JVM's arguments, and an AOT cache made by the image's own JVM. Exits
# with 70 if that JVM refuses the cache.
# usage: kubernetes/images/stage.sh BASE OUTPUT SERVICE...
#   BASE is a directory that base.sh made, or --without-cache for a base with another JVM;
#   OUTPUT/SERVICE gets the service.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
base=$1
mkdir -p "$2"
output=$(cd "$2" && pwd)
shift 2
. "$root/.mvn/find-jdk.sh"
java=$base/jre/bin/java
# base.sh and Jib set the same time; the JVM compares it with the times of the files that its cache
# was made from.
time=@1

# The names of this architecture by which Netty (os.arch with its own names) and zstd-jni find their
# libraries in their jars.
case $(uname -m) in
  x86_64) netty=x86_64 zstd=amd64 ;;
  aarch64) netty=aarch_64 zstd=aarch64 ;;
  *) echo "Cannot make an image for $(uname -m): expected x86_64 or aarch64" >&2; exit 69 ;;
esac

stage() {
  service=$1
  packaged=$root/$service/target/quarkus-app
  [ -f "$packaged/quarkus-run.jar" ] || {
    echo "Cannot make the image of $service: $packaged is not there; build with ./mvnw -DskipTests package" >&2
    exit 66
  }
  inputs=$({
    echo "$base"
    {
      find "$packaged" -name '*.jar'
      find "$here/stage.sh" "$root/.mvn" "$root/service-parent" "$root/$service" -maxdepth 1 -name '*.sh' -o -maxdepth 1 -name '*.args' \
        -o -maxdepth 1 -name image.properties
    } | sort | xargs sha256sum
  } | sha256sum)
  [ "$(cat "$output/$service/inputs" 2>/dev/null)" != "$inputs" ] || return 0

  rm -rf "${output:?}/$service"
  app=$output/$service/app
  mkdir -p "$app/native"
  cp -R "$packaged/." "$app"
  rm -f "$app/app.aot" "$app/quarkus-app-dependencies.txt"
  natives "$app" "$app/native"
  find "$app" -exec touch -d "$time" {} +
  arguments "$service" >"$app/java.args"
  cp "$root/$service/image.properties" "$output/$service"
  [ "$base" = --without-cache ] || train
  echo "$inputs" >"$output/$service/inputs"
}

# Makes the AOT cache of "$service" in "$app", and checks that the JVM accepts it.
train() {
  echo "Making the AOT cache of $service with the JVM of its image"
  JDK_JAVA_OPTIONS=$(native_arguments "$app") "$root/$service/train.sh" "$java" "$app"
  # Checks the cache as in the image: in another directory, with the same times. With these flags
  # the JVM does not start if it refuses the cache.
  moved=$output/$service.moved
  log=$output/$service.log
  mv "$output/$service" "$moved"
  accepted=0
  (cd "$moved/app" && exec "$java" -XX:AOTMode=on -XX:AOTCache=app.aot "@$root/service-parent/java.args" \
    -jar quarkus-run.jar --help) >"$log" 2>&1 || accepted=$?
  mv "$moved" "$output/$service"
  [ "$accepted" -eq 0 ] || {
    echo "The JVM of the image refuses the AOT cache of $service:" >&2
    cat "$log" >&2
    exit 70
  }
}

# natives APPLICATION DIRECTORY: moves the libraries for this machine's architecture out of their
# jars, and removes those for all other architectures: 8 MB.
natives() {
  # The operator has neither of these libraries.
  [ -n "$(find "$1/lib/main" -name 'com.github.luben.zstd-jni-*.jar')" ] || return 0
  for jar in "$1"/lib/main/io.netty.netty-tcnative-boringssl-static-*-linux-"$netty".jar; do
    (cd "$2" && "$JAVA_HOME/bin/jar" -xf "$jar" META-INF/native)
  done
  mv "$2"/META-INF/native/*.so "$2"
  rm -r "$2/META-INF" "$1"/lib/main/io.netty.netty-tcnative-boringssl-static-*.jar

  zstd_jar=$(echo "$1"/lib/main/com.github.luben.zstd-jni-*.jar)
  mkdir "$2/zstd"
  (
    cd "$2/zstd"
    "$JAVA_HOME/bin/jar" -xf "$zstd_jar"
    mv "linux/$zstd"/libzstd-jni-*.so ../libzstd-jni.so
    find com -type f | sort >files
    "$JAVA_HOME/bin/jar" --create --file "$zstd_jar" --manifest META-INF/MANIFEST.MF \
      --date 1980-01-01T00:00:02Z @files
  )
  rm -r "$2/zstd"
}

# arguments SERVICE: prints the arguments of the JVM in the image.
arguments() {
  cat "$root/service-parent/java.args"
  [ ! -f "$root/$1/java.args" ] || cat "$root/$1/java.args"
  [ "$base" = --without-cache ] || printf '%s\n' -XX:AOTCache=/app/app.aot -Xlog:aot=off -Xlog:cds=off
  native_arguments /app
}

# native_arguments APPLICATION: prints the arguments by which Netty and zstd-jni find their
# libraries, so that they do not unpack them into /tmp.
native_arguments() {
  printf '%s\n' "-Djava.library.path=$1/native" "-DZstdNativePath=$1/native/libzstd-jni.so"
}

# Stages three services at a time, because the training of a cache uses one processor and waits a lot.
first=
second=
third=
while [ $# -gt 0 ]; do
  first="$first $1"
  second="$second ${2:-}"
  third="$third ${3:-}"
  shift $(($# < 3 ? $# : 3))
done
processes=
for services in "$first" "$second" "$third"; do
  (for service in $services; do stage "$service"; done) &
  processes="$processes $!"
done
for process in $processes; do wait "$process"; done
