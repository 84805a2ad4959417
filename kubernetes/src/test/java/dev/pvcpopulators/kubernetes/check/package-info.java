/// The rules for every rendering. Each check is one class.
@NullMarked
package dev.pvcpopulators.kubernetes.check;

import org.jspecify.annotations.NullMarked;
