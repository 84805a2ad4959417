/// The service that takes a disk image by HTTP PUT.
@NullMarked
package dev.pvcpopulators.httpupload;

import org.jspecify.annotations.NullMarked;
