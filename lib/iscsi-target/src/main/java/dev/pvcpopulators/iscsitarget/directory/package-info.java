/// The targets of a server, and the rules for which initiators see them.
@NullMarked
package dev.pvcpopulators.iscsitarget.directory;

import org.jspecify.annotations.NullMarked;
