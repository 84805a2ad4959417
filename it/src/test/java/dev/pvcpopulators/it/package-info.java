/// Black-box tests of the packaged services, judged by real tools, and the architecture's rules.
@NullMarked
package dev.pvcpopulators.it;

import org.jspecify.annotations.NullMarked;
