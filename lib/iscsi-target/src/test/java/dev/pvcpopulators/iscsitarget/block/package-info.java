@NullMarked
package dev.pvcpopulators.iscsitarget.block;

import org.jspecify.annotations.NullMarked;
