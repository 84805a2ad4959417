/// Decompresses streams, with the system's native libraries if they are installed. The read-ahead
/// stage lets receiving, decompressing and decoding run concurrently.
@NullMarked
package dev.pvcpopulators.diskimage.compression;

import org.jspecify.annotations.NullMarked;
