/// The volume of a claim, for services that write a disk into the volume.
@NullMarked
package dev.pvcpopulators.kit.disk;

import org.jspecify.annotations.NullMarked;
