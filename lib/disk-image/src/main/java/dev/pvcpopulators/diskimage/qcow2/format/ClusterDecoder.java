package dev.pvcpopulators.diskimage.qcow2.format;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;

/// Decompresses clusters of one or more files, with any [ClusterCompression], and caches the last
/// decompressed cluster.
public final class ClusterDecoder implements AutoCloseable {
  private static final MemorySegment EMPTY = MemorySegment.NULL;

  private final Arena arena = Arena.ofShared();
  private MemorySegment packed = EMPTY;
  private byte[] source = new byte[0];
  private byte[] cluster = new byte[0];
  private final Map<ClusterCompression, ClusterInflater> inflaters =
      new EnumMap<>(ClusterCompression.class);
  private @Nullable HostBytes keptFile;
  private CompressedDescriptor kept = new CompressedDescriptor(0);

  /// Decompresses a cluster.
  ///
  /// @return an array that begins with the cluster and may be longer; valid until the next call
  /// @throws MalformedImageException if the data is not a complete cluster
  public byte[] decode(
      HostBytes file,
      CompressedDescriptor descriptor,
      int clusterBits,
      ClusterCompression compression)
      throws IOException {
    if (file.equals(keptFile) && descriptor.equals(kept)) {
      return cluster;
    }
    keptFile = null;
    reserve(clusterBits);
    long offset = descriptor.hostOffset(clusterBits);
    // The sectors that the descriptor gives may extend beyond the end of the compressed data, and
    // beyond the end of the file.
    int length = (int) file.read(offset, packed.asSlice(0, descriptor.length(clusterBits)));
    MemorySegment.ofArray(source).copyFrom(packed.asSlice(0, length));
    try {
      inflaters
          .computeIfAbsent(compression, ClusterDecoder::inflater)
          .inflate(source, 0, length, cluster, 0, 1 << clusterBits);
    } catch (DataFormatException e) {
      throw new MalformedImageException(
          "compressed cluster", offset, String.valueOf(e.getMessage()), e);
    }
    keptFile = file;
    kept = descriptor;
    return cluster;
  }

  private void reserve(int clusterBits) {
    if (cluster.length < 1 << clusterBits) {
      int length = CompressedDescriptor.maxLength(clusterBits);
      packed = arena.allocate(length);
      source = new byte[length];
      cluster = new byte[1 << clusterBits];
    }
  }

  private static ClusterInflater inflater(ClusterCompression compression) {
    return switch (compression) {
      case ZLIB -> ClusterInflater.open();
      case ZSTD -> new ZstdClusterInflater();
    };
  }

  @Override
  public void close() {
    arena.close();
    inflaters.values().forEach(ClusterInflater::close);
  }
}
