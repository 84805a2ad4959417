/// Protocol data units (RFC 7143, section 11): one record for each type of PDU except SNACK
/// Request, which the target does not support. Each record is read from a buffer or written to a
/// buffer. The subpackage `pdu.login` contains the records of login and text PDUs.
@NullMarked
package dev.pvcpopulators.iscsitarget.pdu;

import org.jspecify.annotations.NullMarked;
