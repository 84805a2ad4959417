/// The rules for every rendering, one class for each check.
@NullMarked
package dev.pvcpopulators.kubernetes.check;

import org.jspecify.annotations.NullMarked;
