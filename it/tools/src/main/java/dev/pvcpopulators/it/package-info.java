/// What drives services and real tools in tests.
@NullMarked
package dev.pvcpopulators.it;

import org.jspecify.annotations.NullMarked;
