/// The login phase with CHAP, and SendTargets in full-feature phase (RFC 7143, sections 6, 12 and
/// 13, appendix C).
@NullMarked
package dev.pvcpopulators.iscsitarget.login;

import org.jspecify.annotations.NullMarked;
