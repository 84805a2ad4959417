/// What others say of the engine: conformance tests of libiscsi, and initiators that mean harm.
@NullMarked
package dev.pvcpopulators.iscsitarget.conformance;

import org.jspecify.annotations.NullMarked;
