/// The servers of Kubernetes, which the tests start as local processes.
@NullMarked
package dev.pvcpopulators.it.cluster;

import org.jspecify.annotations.NullMarked;
