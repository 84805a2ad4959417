/// The text in Login PDUs and Text PDUs (RFC 7143, section 6.1): keys and values.
@NullMarked
package dev.pvcpopulators.iscsitarget.login.text;

import org.jspecify.annotations.NullMarked;
