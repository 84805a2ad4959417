/// Tar archives: unpacked into a directory that nothing escapes from, or read for the one disk
/// inside.
@NullMarked
package dev.pvcpopulators.diskimage.archive;

import org.jspecify.annotations.NullMarked;
