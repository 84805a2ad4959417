/// Decompresses streams and qcow2 clusters. Deflate uses the system's native libraries (ISA-L,
/// libdeflate) if they are installed, otherwise the JDK. With a [ReadAheadStream] between two
/// stages, receiving, decompressing and decoding of the disk image run concurrently.
@NullMarked
package dev.pvcpopulators.diskimage.compression;

import org.jspecify.annotations.NullMarked;
