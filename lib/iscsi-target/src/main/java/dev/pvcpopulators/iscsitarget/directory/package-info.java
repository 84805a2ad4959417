/// The targets of a server, and which of them an initiator sees.
@NullMarked
package dev.pvcpopulators.iscsitarget.directory;

import org.jspecify.annotations.NullMarked;
