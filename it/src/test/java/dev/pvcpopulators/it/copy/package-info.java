/// Black-box tests of registry-copy, judged by real tools.
@NullMarked
package dev.pvcpopulators.it.copy;

import org.jspecify.annotations.NullMarked;
