/// The CDBs of block commands (SBC-3): fields, limits, and the responses to invalid ones.
@NullMarked
package dev.pvcpopulators.iscsitarget.block.cdb;

import org.jspecify.annotations.NullMarked;
