/// Turns a layer's blob into changes of a file system: pull, verify, parse, apply.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.layer;

import org.jspecify.annotations.NullMarked;
