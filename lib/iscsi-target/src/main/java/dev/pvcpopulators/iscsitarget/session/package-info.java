/// The server: portals, sessions and connections in full-feature phase (RFC 7143, sections 4 and
/// 7): what comes over the wire becomes tasks, what the tasks answer goes back.
@NullMarked
package dev.pvcpopulators.iscsitarget.session;

import org.jspecify.annotations.NullMarked;
