/// What a logical unit stores: a file or device, a disk that is still arriving, an overlay.
///
/// The lowest room: it knows bytes and offsets, neither SCSI nor iSCSI.
@NullMarked
package dev.pvcpopulators.iscsitarget.medium;

import org.jspecify.annotations.NullMarked;
