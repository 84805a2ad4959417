/// Black-box tests of registry-stream-iscsi. Real tools check the results.
@NullMarked
package dev.pvcpopulators.it.stream;

import org.jspecify.annotations.NullMarked;
