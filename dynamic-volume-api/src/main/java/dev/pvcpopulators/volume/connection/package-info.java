/// The HTTP connections of a process: how many there are, and what those may cost that ask nothing.
@NullMarked
package dev.pvcpopulators.volume.connection;

import org.jspecify.annotations.NullMarked;
