/// A stress test of the packaged services. The test plays rounds with one fault each.
@NullMarked
package dev.pvcpopulators.it.torture;

import org.jspecify.annotations.NullMarked;
