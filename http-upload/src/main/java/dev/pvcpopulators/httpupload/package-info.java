/// Fills a volume with a disk image or an archive that a client uploads by HTTP PUT or PATCH.
@NullMarked
package dev.pvcpopulators.httpupload;

import org.jspecify.annotations.NullMarked;
