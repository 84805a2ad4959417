/// The data that initiators send with commands and in Data-Out PDUs (RFC 7143, section 11.7), and
/// the bounded memory for this data.
@NullMarked
package dev.pvcpopulators.iscsitarget.transfer;

import org.jspecify.annotations.NullMarked;
