/// The state machine of a dynamic volume: pure, without threads, time or storage.
@NullMarked
package dev.pvcpopulators.volume.machine;

import org.jspecify.annotations.NullMarked;
