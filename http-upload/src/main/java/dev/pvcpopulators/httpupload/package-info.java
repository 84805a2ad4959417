/// Fills a volume with a disk image that a client uploads with HTTP PUT.
@NullMarked
package dev.pvcpopulators.httpupload;

import org.jspecify.annotations.NullMarked;
