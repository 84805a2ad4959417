/// Black-box tests of registry-stream-iscsi, judged by real tools.
@NullMarked
package dev.pvcpopulators.it.stream;

import org.jspecify.annotations.NullMarked;
