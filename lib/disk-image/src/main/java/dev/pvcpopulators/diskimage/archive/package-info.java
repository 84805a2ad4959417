/// Tar and ZIP archives: unpacking into a confined directory, reading the single disk of an
/// archive, or listing the entries.
@NullMarked
package dev.pvcpopulators.diskimage.archive;

import org.jspecify.annotations.NullMarked;
