/// The server: portals, connections and sessions (RFC 7143, sections 4 and 7). The server converts
/// PDUs to tasks, and responses of tasks to PDUs.
@NullMarked
package dev.pvcpopulators.iscsitarget.session;

import org.jspecify.annotations.NullMarked;
