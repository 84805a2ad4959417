package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.compression.ClusterInflater;
import dev.pvcpopulators.diskimage.qcow2.format.CompressedDescriptor;
import java.util.concurrent.Callable;
import java.util.zip.DataFormatException;

/// A batch of compressed clusters that are decompressed together: up to 1 MiB of decompressed data,
/// or one cluster if a cluster is larger. With batches of this size, few hand-overs to other
/// threads are necessary, and one write to the sink can cover several consecutive clusters. Used by
/// one thread at a time; a worker runs [#call].
final class CompressedBatch implements Callable<CompressedBatch> {
  private static final int TARGET_LENGTH = 1 << 20;

  private final int clusterSize;
  private final ClusterInflater inflater;
  private final byte[] source;
  private final byte[] target;
  private final long[] hosts;
  private final long[] guests;
  private final int[] offsets;
  private final int[] lengths;
  private int count;
  private int filled;

  /// Creates an empty batch.
  ///
  /// @param inflater owned by the batch
  CompressedBatch(int clusterBits, ClusterInflater inflater) {
    this.clusterSize = 1 << clusterBits;
    this.inflater = inflater;
    int capacity = Math.max(1, TARGET_LENGTH >> clusterBits);
    this.source = new byte[Math.max(TARGET_LENGTH, CompressedDescriptor.maxLength(clusterBits))];
    this.target = new byte[capacity << clusterBits];
    this.hosts = new long[capacity];
    this.guests = new long[capacity];
    this.offsets = new int[capacity];
    this.lengths = new int[capacity];
  }

  boolean hasRoomFor(int length) {
    return count < hosts.length && length <= source.length - filled;
  }

  /// Adds an extent; the caller then copies the bytes of the extent into [#source] at the returned
  /// index.
  int add(long hostOffset, long guestOffset, int length) {
    int at = filled;
    hosts[count] = hostOffset;
    guests[count] = guestOffset;
    offsets[count] = at;
    lengths[count] = length;
    count++;
    filled += length;
    return at;
  }

  byte[] source() {
    return source;
  }

  @Override
  public CompressedBatch call() throws MalformedImageException {
    for (int i = 0; i < count; i++) {
      try {
        lengths[i] =
            inflater.inflate(source, offsets[i], lengths[i], target, i * clusterSize, clusterSize);
      } catch (DataFormatException e) {
        throw new MalformedImageException(
            "compressed cluster", hosts[i], String.valueOf(e.getMessage()), e);
      }
    }
    return this;
  }

  int count() {
    return count;
  }

  long hostOffset(int i) {
    return hosts[i];
  }

  long guestOffset(int i) {
    return guests[i];
  }

  /// Returns the length of extent `i` in bytes. After [#call], returns the length of the compressed
  /// stream in this extent instead; the stream may end before the end of the extent.
  int length(int i) {
    return lengths[i];
  }

  /// Returns the decompressed clusters, in the order of the calls of [#add].
  byte[] target() {
    return target;
  }

  void clear() {
    count = 0;
    filled = 0;
  }

  void close() {
    inflater.close();
  }
}
