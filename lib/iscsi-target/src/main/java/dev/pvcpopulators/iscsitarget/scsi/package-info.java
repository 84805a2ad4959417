/// The terms that transport and device server share (SAM-5, SPC-4): nexus, task, command, status,
/// sense data.
@NullMarked
package dev.pvcpopulators.iscsitarget.scsi;

import org.jspecify.annotations.NullMarked;
