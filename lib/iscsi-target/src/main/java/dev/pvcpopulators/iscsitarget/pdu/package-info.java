/// Protocol data units (RFC 7143, section 11): one record for each type of PDU, which is read from
/// or written to a buffer.
@NullMarked
package dev.pvcpopulators.iscsitarget.pdu;

import org.jspecify.annotations.NullMarked;
