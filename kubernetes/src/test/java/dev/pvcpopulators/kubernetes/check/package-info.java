/// The checks that every rendering must pass. Each check is one class.
@NullMarked
package dev.pvcpopulators.kubernetes.check;

import org.jspecify.annotations.NullMarked;
