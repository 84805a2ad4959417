#!/bin/sh
# Prints the names of the services, one a line: the modules of service-parent/services/pom.xml, which is
# the only list of them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sed -n 's#.*<module>\.\./\.\./\(.*\)</module>.*#\1#p' "$here/services/pom.xml"
