/// Black-box tests of http-upload. Real tools check the results.
@NullMarked
package dev.pvcpopulators.it.upload;

import org.jspecify.annotations.NullMarked;
