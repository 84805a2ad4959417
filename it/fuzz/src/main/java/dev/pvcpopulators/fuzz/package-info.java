/// What reads bytes of strangers, as functions of bytes.
@NullMarked
package dev.pvcpopulators.fuzz;

import org.jspecify.annotations.NullMarked;
