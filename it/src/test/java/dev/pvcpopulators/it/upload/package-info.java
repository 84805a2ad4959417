/// Black-box tests of http-upload, judged by real tools.
@NullMarked
package dev.pvcpopulators.it.upload;

import org.jspecify.annotations.NullMarked;
