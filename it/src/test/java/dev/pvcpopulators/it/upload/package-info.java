/// Black-box tests of http-upload. Other programs, for example qemu-img, check the results.
@NullMarked
package dev.pvcpopulators.it.upload;

import org.jspecify.annotations.NullMarked;
