/// The storage of a logical unit: a file or device, or an arriving disk.
///
/// This package handles bytes and offsets, and contains no code for SCSI or iSCSI.
@NullMarked
package dev.pvcpopulators.iscsitarget.medium;

import org.jspecify.annotations.NullMarked;
