/// Tests of the manifests. The tests render the manifests, parse them strictly, and compare them
/// with the services' code.
@NullMarked
package dev.pvcpopulators.kubernetes;

import org.jspecify.annotations.NullMarked;
