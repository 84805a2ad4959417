/// Tar archives: unpacked into a directory that nothing escapes from, read for the one disk inside,
/// or gone through entry by entry.
@NullMarked
package dev.pvcpopulators.diskimage.archive;

import org.jspecify.annotations.NullMarked;
