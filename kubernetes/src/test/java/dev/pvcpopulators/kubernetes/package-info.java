/// The manifests, rendered, parsed without tolerance, and compared with the services' code.
@NullMarked
package dev.pvcpopulators.kubernetes;

import org.jspecify.annotations.NullMarked;
