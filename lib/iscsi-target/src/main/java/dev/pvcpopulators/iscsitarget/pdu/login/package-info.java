/// The PDUs of the login phase and of text negotiation (RFC 7143, sections 11.10 to 11.13).
@NullMarked
package dev.pvcpopulators.iscsitarget.pdu.login;

import org.jspecify.annotations.NullMarked;
