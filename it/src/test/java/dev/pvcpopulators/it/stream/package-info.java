/// Black-box tests of registry-stream-iscsi. Other programs, for example QEMU and iscsiadm, check
/// the results.
@NullMarked
package dev.pvcpopulators.it.stream;

import org.jspecify.annotations.NullMarked;
