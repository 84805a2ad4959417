#!/usr/bin/env bash
# Builds the committed sources twice: in different directories, with different umasks (both with read
# permission for others, because jars contain file modes), time zones and languages. Compares jars, packaged
# services, bills of materials and images byte by byte, prints differences, and exits with 1 if there are
# any. Excludes AOT caches and the bytecode that Quarkus generates, because these are not reproducible; the
# images of both builds use the bytecode of the first build.
# usage: it/reproducible.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/.mvn/find-jdk.sh"
mapfile -t services < <("$root/service-parent/list.sh")
modules=kubernetes/images,$(IFS=,; echo "${services[*]}")
created=2026-01-01T00:00:00Z
generated=target/quarkus-app/quarkus/generated-bytecode.jar
debian=${IMAGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pvc-populators/images}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# images: as kubernetes/images/build.sh, without AOT caches. The bases are made again from the cached
# Debian packages.
images() {
  for service in "${services[@]}"; do
    cp "$work/here/$service/$generated" "$service/$generated.first"
    mv "$service/$generated.first" "$service/$generated"
  done
  mkdir -p "$PWD/cache" images
  for packages in "$debian"/packages-*; do
    [ ! -e "$packages/complete" ] || cp -rl "$packages" "$PWD/cache"
  done
  base=$(IMAGE_CACHE=$PWD/cache kubernetes/images/base.sh "$JAVA_HOME")
  kubernetes/images/stage.sh --without-cache images/staged "${services[@]}"
  # Empty files replace the AOT caches.
  for service in "${services[@]}"; do
    : >"images/staged/$service/app/app.aot"
  done
  "$JAVA_HOME/bin/java" -cp "kubernetes/images/target/classes:$(cat classpath)" \
    dev.pvcpopulators.images.BuildImages --base "$base" --staged images/staged --output images \
    --version reproducible --created "$created" "${services[@]}"
}

# build DIRECTORY UMASK ZONE LANGUAGE
build() (
  echo "Building in $1: umask $2, $3, $4" >&2
  umask "$2"
  mkdir -p "$1"
  git -C "$root" archive HEAD | tar -x --no-same-permissions -C "$1"
  cd "$1"
  export TZ=$3 MAVEN_OPTS="-Duser.language=${4%_*} -Duser.country=${4#*_} -XX:+UseSerialGC"
  ./mvnw -B -ntp -q -Psupply -Dmaven.test.skip=true -Dspotless.check.skip=true -Dexec.skip \
    -pl "$modules" -am package
  ./mvnw -B -ntp -q -pl kubernetes/images dependency:build-classpath \
    -Dmdep.outputFile="$PWD/classpath"
  images >&2
)

# sums DIRECTORY: checksums of all results of a build.
sums() (
  cd "$1"
  find . \( -path '*/target/*.jar' -o -path '*/target/quarkus-app/*' -o -name bom.json \
    -o -path './images/*.tar' \) -type f ! -path '*/staged/*' ! -path "*/$generated" | sort | xargs sha256sum
)

build "$work/here" 022 UTC en_US
build "$work/somewhere/else" 002 Asia/Kolkata tr_TR
sums "$work/here" >"$work/first"
sums "$work/somewhere/else" >"$work/second"
if differences=$(diff "$work/first" "$work/second"); then
  echo "The same bytes in all $(wc -l <"$work/first") files"
else
  echo "These differ:" >&2
  echo "$differences" | sed -n 's/^[<>] [0-9a-f]*  //p' | sort -u
  exit 1
fi
