/// The servers of Kubernetes, started from the programs that `.ci/kubernetes-binaries` built.
@NullMarked
package dev.pvcpopulators.it.cluster;

import org.jspecify.annotations.NullMarked;
