#!/bin/sh
# Makes the container images of the services and the operator; the profile `images` of the Maven
# build runs it.
# usage: kubernetes/images/build.sh CLASSPATH OUTPUT [OPTION]...
#   CLASSPATH has the program BuildImages, which gets the options (its --help lists them)
#   IMAGE_BASE      an image in a registry instead of the base that base.sh makes
#   IMAGE_REGISTRY  HOST/PREFIX: the images are pushed there, too
#   IMAGE_INSECURE  true: registries may be plain HTTP, or have certificates of no known authority
#   IMAGE_SOURCE    the URL of the sources, for the images' labels
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../.mvn/find-jdk.sh"
classpath=$1
output=$2
shift 2
services="$("$here/../../service-parent/list.sh") operator"

if [ -n "${IMAGE_BASE:-}" ]; then
  base=$IMAGE_BASE
  # shellcheck disable=SC2086 # one word for each service
  "$here/stage.sh" --without-cache "$output/staged" $services
else
  base=$("$here/base.sh" "$JAVA_HOME")
  # shellcheck disable=SC2086
  "$here/stage.sh" "$base" "$output/staged" $services
fi
revision=$(git -C "$here" rev-parse HEAD 2>/dev/null || true)
[ -z "$revision" ] || [ -z "$(git -C "$here" status --porcelain --untracked-files=no)" ] || revision=$revision-dirty
[ -z "$revision" ] || set -- "$@" --revision "$revision"
[ -z "${IMAGE_SOURCE:-}" ] || set -- "$@" --source "$IMAGE_SOURCE"
[ -z "${IMAGE_REGISTRY:-}" ] || set -- "$@" --push "$IMAGE_REGISTRY"
[ "${IMAGE_INSECURE:-false}" != true ] || set -- "$@" --insecure
# shellcheck disable=SC2086
exec "$JAVA_HOME/bin/java" -XX:+UseSerialGC -Xmx256m -cp "$classpath" \
  dev.pvcpopulators.images.BuildImages --base "$base" --staged "$output/staged" --output "$output" "$@" $services
