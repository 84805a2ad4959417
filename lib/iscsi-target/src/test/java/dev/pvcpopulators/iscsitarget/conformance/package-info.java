/// Tests of the engine with other programs: libiscsi's conformance tests and hostile initiators.
@NullMarked
package dev.pvcpopulators.iscsitarget.conformance;

import org.jspecify.annotations.NullMarked;
