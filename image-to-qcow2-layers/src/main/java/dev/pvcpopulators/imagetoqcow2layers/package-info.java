/// Turns container images into bootable stacks of qcow2 files.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers;

import org.jspecify.annotations.NullMarked;
