/// Runs libiscsi's conformance tests and hostile initiators against the iSCSI target.
@NullMarked
package dev.pvcpopulators.iscsitarget.conformance;

import org.jspecify.annotations.NullMarked;
