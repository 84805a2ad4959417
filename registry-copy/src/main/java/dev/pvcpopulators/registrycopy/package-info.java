/// Fills a volume with the disk in a container image.
@NullMarked
package dev.pvcpopulators.registrycopy;

import org.jspecify.annotations.NullMarked;
