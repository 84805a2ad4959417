/// Black-box tests of image-to-qcow2-layers. Other programs, for example qemu-img and umoci, check
/// the results.
@NullMarked
package dev.pvcpopulators.it.layers;

import org.jspecify.annotations.NullMarked;
