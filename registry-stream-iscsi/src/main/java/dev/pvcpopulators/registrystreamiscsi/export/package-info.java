/// The iSCSI target: publishes LUNs, exports them again after a restart, and admits initiators.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.export;

import org.jspecify.annotations.NullMarked;
