/// The bytes and digests of PDUs on a connection, and the numbering of commands (CmdSN).
@NullMarked
package dev.pvcpopulators.iscsitarget.wire;

import org.jspecify.annotations.NullMarked;
