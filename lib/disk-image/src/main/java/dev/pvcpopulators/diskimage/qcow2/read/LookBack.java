package dev.pvcpopulators.diskimage.qcow2.read;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.Staging;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The part of the source that has been read. The newest bytes are in the window. Earlier bytes are
/// staged if they were unclaimed when they left the window; unclaimed bytes have no owner in
/// [HostClaims]. In a cluster with compressed extents, bytes that belong to no decompressed extent
/// are also staged. Nothing is staged for a source that can be read again.
final class LookBack {
  private final Window window;
  private final HostClaims claims;
  private final DiskSink sink;
  private final OptionalLong sourceLength;
  private final int clusterSize;
  private final boolean staging;
  private final ByteBuffer ring;
  private @Nullable Staging staged;

  /// Creates a look-back.
  ///
  /// @param staging whether unclaimed bytes are staged when they leave the window
  LookBack(
      Window window,
      HostClaims claims,
      DiskSink sink,
      OptionalLong sourceLength,
      int clusterSize,
      boolean staging) {
    this.window = window;
    this.claims = claims;
    this.sink = sink;
    this.sourceLength = sourceLength;
    this.clusterSize = clusterSize;
    this.staging = staging;
    this.ring = ByteBuffer.wrap(window.ring());
  }

  /// Returns whether unclaimed bytes are staged when they leave the window.
  boolean staging() {
    return staging;
  }

  /// Returns the host offset of the oldest byte that is still available. Earlier bytes must be read
  /// again from the source.
  long reach() {
    return staging ? 0 : window.start();
  }

  /// Copies host bytes to an array. The bytes must have been read from the source, and must not be
  /// before [#reach]. Bytes that left the window may read as zeros in two cases: they were claimed
  /// before they left the window, or they were placed in the disk after they left the window.
  void read(long hostOffset, byte[] target, int offset, int length) throws IOException {
    int before = Math.clamp(window.start() - hostOffset, 0, length);
    if (before > 0) {
      staged().read(hostOffset, target, offset, before);
    }
    for (int done = before; done < length; ) {
      int count = window.contiguous(hostOffset + done, length - done);
      System.arraycopy(
          window.ring(), window.index(hostOffset + done), target, offset + done, count);
      done += count;
    }
  }

  /// Returns the big-endian 8-byte word at a host offset in the window.
  ///
  /// @param hostOffset a multiple of 8
  long word(long hostOffset) {
    return ring.getLong(window.index(hostOffset));
  }

  /// Copies host bytes to their guest offset. The bytes must have been read, and must not be before
  /// [#reach]. Bytes that left the window must have been unclaimed when they left it.
  void place(long hostOffset, long guestOffset, long length) throws IOException {
    long before = Math.clamp(window.start() - hostOffset, 0, length);
    if (before > 0) {
      staged().moveToGuest(hostOffset, guestOffset, before);
    }
    for (long done = before; done < length; ) {
      int count = window.contiguous(hostOffset + done, length - done);
      sink.write(guestOffset + done, window.ring(), window.index(hostOffset + done), count);
      done += count;
    }
  }

  /// Stages bytes before the window drops them: unclaimed bytes and, in clusters with compressed
  /// extents, bytes that no extent has consumed. Does nothing if [#staging] is false.
  ///
  /// @param to host offset of the first byte that stays in the window
  void rescue(long to) throws IOException {
    if (!staging) {
      return;
    }
    long unclaimed = window.start();
    for (long cluster = window.start(); cluster < to; cluster += clusterSize) {
      boolean shared = claims.shared(cluster);
      if (shared || claims.exclusive(cluster)) {
        keep(unclaimed, cluster);
        unclaimed = cluster + clusterSize;
      }
      if (shared) {
        keepUnconsumed(cluster, cluster + clusterSize);
      }
    }
    keep(unclaimed, to);
  }

  /// Stages a table that is processed later. Now that the cluster of the table has an owner,
  /// [#rescue] no longer stages the cluster. Does nothing if [#staging] is false. Also does nothing
  /// if the table has already left the window: the cluster had no owner at that time, so [#rescue]
  /// staged the table.
  void keepTable(long hostOffset, byte[] table) throws IOException {
    if (staging && hostOffset >= window.start()) {
      staged().keep(hostOffset, table, 0, table.length);
    }
  }

  /// In a cluster with compressed extents, stages the bytes that no extent has consumed yet. These
  /// bytes may belong to an extent whose table comes later.
  private void keepUnconsumed(long from, long to) throws IOException {
    for (long at = window.nextUnconsumed(from, to); at < to; ) {
      long end = window.nextConsumed(at, to);
      // Usually these bytes are zeros. Zeros need not be staged here: bytes that were never staged
      // read as zeros, and bytes in a cluster with compressed extents are never moved to the guest.
      if (!zero(at, end)) {
        keep(at, end);
      }
      at = window.nextUnconsumed(end, to);
    }
  }

  /// Returns whether a part of one cluster contains only zeros. The part must be contiguous in the
  /// ring, and must not be empty.
  private boolean zero(long from, long to) {
    byte[] bytes = window.ring();
    int slot = window.index(from);
    int end = slot + (int) (to - from);
    // The first byte is 0, and each other byte equals the byte before it.
    return bytes[slot] == 0 && Arrays.equals(bytes, slot, end - 1, bytes, slot + 1, end);
  }

  private void keep(long from, long to) throws IOException {
    for (long at = from; at < to; ) {
      int count = window.contiguous(at, to - at);
      staged().keep(at, window.ring(), window.index(at), count);
      at += count;
    }
  }

  private Staging staged() throws IOException {
    if (staged == null) {
      if (!staging) {
        throw new IllegalStateException("The requested bytes are no longer in the window");
      }
      staged = sink.staging(sourceLength);
    }
    return staged;
  }
}
