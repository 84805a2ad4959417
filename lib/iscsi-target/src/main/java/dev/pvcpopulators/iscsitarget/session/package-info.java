/// The server: portals, sessions and connections in full-feature phase (RFC 7143, sections 4 and
/// 7). PDUs become tasks, and the responses of tasks become PDUs.
@NullMarked
package dev.pvcpopulators.iscsitarget.session;

import org.jspecify.annotations.NullMarked;
