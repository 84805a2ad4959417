/// Stream decompression, with the system's native libraries where they are installed, and the
/// read-ahead stage that lets receiving, decompressing and decoding run side by side.
@NullMarked
package dev.pvcpopulators.diskimage.compression;

import org.jspecify.annotations.NullMarked;
