/// Tests of http-copy with nginx.
@NullMarked
package dev.pvcpopulators.it.download;

import org.jspecify.annotations.NullMarked;
