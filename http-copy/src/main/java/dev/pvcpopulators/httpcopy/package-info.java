/// Fills a volume with a disk from a URL.
@NullMarked
package dev.pvcpopulators.httpcopy;

import org.jspecify.annotations.NullMarked;
