/// Tests of the engine by other programs: conformance tests of libiscsi, and hostile initiators.
@NullMarked
package dev.pvcpopulators.iscsitarget.conformance;

import org.jspecify.annotations.NullMarked;
