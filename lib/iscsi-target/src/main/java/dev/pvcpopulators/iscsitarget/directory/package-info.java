/// The targets of a server, and the rules that determine which initiators see them.
@NullMarked
package dev.pvcpopulators.iscsitarget.directory;

import org.jspecify.annotations.NullMarked;
