/// Protocol data units (RFC 7143, section 11): one record for each type of PDU. Each record is read
/// from a buffer or written to a buffer.
@NullMarked
package dev.pvcpopulators.iscsitarget.pdu;

import org.jspecify.annotations.NullMarked;
