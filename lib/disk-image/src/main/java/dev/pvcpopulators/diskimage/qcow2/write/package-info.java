/// Writing of a qcow2 file over a stack of such files:
/// [dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer].
@NullMarked
package dev.pvcpopulators.diskimage.qcow2.write;

import org.jspecify.annotations.NullMarked;
