/// Decompresses streams and qcow2 clusters. Deflate data is decompressed by the system's native
/// libraries (ISA-L, libdeflate) if they are usable, otherwise by the JDK. With a [ReadAheadStream]
/// between two stages of a pipeline, the two stages run concurrently.
@NullMarked
package dev.pvcpopulators.diskimage.compression;

import org.jspecify.annotations.NullMarked;
