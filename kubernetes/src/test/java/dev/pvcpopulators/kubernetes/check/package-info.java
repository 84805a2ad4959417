/// What must hold for every rendering, one class a check.
@NullMarked
package dev.pvcpopulators.kubernetes.check;

import org.jspecify.annotations.NullMarked;
