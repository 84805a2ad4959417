/// Stream decompression, which uses the system's native libraries if they are installed, and the
/// read-ahead stage that lets receiving, decompressing and decoding run concurrently.
@NullMarked
package dev.pvcpopulators.diskimage.compression;

import org.jspecify.annotations.NullMarked;
