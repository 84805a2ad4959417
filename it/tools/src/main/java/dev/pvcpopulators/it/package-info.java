/// The test kit, which runs services and real tools.
@NullMarked
package dev.pvcpopulators.it;

import org.jspecify.annotations.NullMarked;
