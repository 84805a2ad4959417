package dev.pvcpopulators.diskimage.qcow2;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/// Writes one qcow2 file, version 3, possibly over others (QEMU docs/interop/qcow2).
///
/// Data goes to the end of the file as it comes, in large writes; what is written again is replaced
/// in place. Header, tables and refcounts follow with [#finish]. The same calls give the same
/// bytes. Zeros are stored as nothing where the stack below has zeros, else as a zero cluster. For
/// one thread.
@SuppressWarnings("DoNotCallSuggester")
public final class Qcow2Writer implements Closeable {
  private Qcow2Writer() {}

  /// What a file is like.
  ///
  /// @param virtualSize bytes that the guest sees; a multiple of 512
  /// @param clusterBits 9–21: 12 for layers, 16 for disks that are written to
  /// @param backingName what the header says of the file below, as QEMU takes it: relative to this
  ///   file; at most 1,023 bytes. Its format is always said to be qcow2
  /// @param compression of clusters, by zstd
  public record Options(
      long virtualSize, int clusterBits, Optional<String> backingName, boolean compression) {}

  /// Begins a file.
  ///
  /// @param file must not exist
  /// @param below what the file lies over; stays the caller's, open as long as this is
  public static Qcow2Writer create(Path file, Options options, Qcow2Chain below)
      throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Writes guest bytes. Where they fill clusters in part only, the rest is what was there.
  public void write(long guestOffset, ByteBuffer source) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Reads guest bytes: what was written here, else what lies below.
  public void read(long guestOffset, ByteBuffer target) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Writes header, tables and refcounts, and flushes the file to stable storage.
  public void finish() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Bytes of the file so far.
  public long length() {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Without [#finish] before, the file is of no use.
  @Override
  public void close() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}
