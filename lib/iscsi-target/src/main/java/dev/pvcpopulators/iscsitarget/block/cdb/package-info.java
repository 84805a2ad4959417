/// The CDBs of block commands (SBC-3): their fields, the limits, and the responses to invalid CDBs.
@NullMarked
package dev.pvcpopulators.iscsitarget.block.cdb;

import org.jspecify.annotations.NullMarked;
