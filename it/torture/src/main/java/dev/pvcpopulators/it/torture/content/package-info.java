/// The content of volumes before and after a round.
@NullMarked
package dev.pvcpopulators.it.torture.content;

import org.jspecify.annotations.NullMarked;
