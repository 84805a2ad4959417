/// The bytes of PDUs on a connection, with digests, and the numbers of commands.
@NullMarked
package dev.pvcpopulators.iscsitarget.wire;

import org.jspecify.annotations.NullMarked;
