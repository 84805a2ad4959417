/// The login phase (RFC 7143, sections 6, 12 and 13): text negotiation, CHAP, discovery.
@NullMarked
package dev.pvcpopulators.iscsitarget.login;

import org.jspecify.annotations.NullMarked;
