/// Makes, finds, and removes the directories of machines.
@NullMarked
package dev.pvcpopulators.imagetoqcow2layers.machine;

import org.jspecify.annotations.NullMarked;
