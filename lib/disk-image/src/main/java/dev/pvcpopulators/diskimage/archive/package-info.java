/// Tar and ZIP archives. The classes unpack a tar archive into a directory, read the only disk of a
/// tar or ZIP archive, or list the entries of a tar archive.
@NullMarked
package dev.pvcpopulators.diskimage.archive;

import org.jspecify.annotations.NullMarked;
