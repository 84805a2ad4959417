/// Writes a qcow2 file on top of a stack of qcow2 files, see
/// [dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer].
@NullMarked
package dev.pvcpopulators.diskimage.qcow2.write;

import org.jspecify.annotations.NullMarked;
