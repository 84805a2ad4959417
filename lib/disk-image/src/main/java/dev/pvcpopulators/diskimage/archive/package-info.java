/// Tar and ZIP archives: unpacking a tar archive into a directory and nowhere else, reading the
/// single disk of a tar or ZIP archive, or listing the entries of a tar archive.
@NullMarked
package dev.pvcpopulators.diskimage.archive;

import org.jspecify.annotations.NullMarked;
