/// Rounds of one fault each against the packaged services.
@NullMarked
package dev.pvcpopulators.it.torture;

import org.jspecify.annotations.NullMarked;
