@NullMarked
package dev.pvcpopulators.iscsitarget.medium;

import org.jspecify.annotations.NullMarked;
