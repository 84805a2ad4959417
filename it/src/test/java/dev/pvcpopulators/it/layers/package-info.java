/// Black-box tests of image-to-qcow2-layers, judged by real tools.
@NullMarked
package dev.pvcpopulators.it.layers;

import org.jspecify.annotations.NullMarked;
