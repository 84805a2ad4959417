/// Black-box tests of image-to-qcow2-layers. Real tools check the results.
@NullMarked
package dev.pvcpopulators.it.layers;

import org.jspecify.annotations.NullMarked;
