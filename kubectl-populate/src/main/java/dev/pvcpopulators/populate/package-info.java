/// The program `kubectl populate`: its commands and options.
@NullMarked
package dev.pvcpopulators.populate;

import org.jspecify.annotations.NullMarked;
