/// Protocol data units (RFC 7143, section 11): one record a PDU, read from and written to a buffer.
@NullMarked
package dev.pvcpopulators.iscsitarget.pdu;

import org.jspecify.annotations.NullMarked;
