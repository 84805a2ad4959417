/// Tests of the manifests: rendered, parsed strictly, and compared with the services' code.
@NullMarked
package dev.pvcpopulators.kubernetes;

import org.jspecify.annotations.NullMarked;
