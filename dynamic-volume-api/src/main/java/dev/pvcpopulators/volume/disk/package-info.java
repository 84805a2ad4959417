/// A claim's volume as the services that write a disk into it see it.
@NullMarked
package dev.pvcpopulators.volume.disk;

import org.jspecify.annotations.NullMarked;
