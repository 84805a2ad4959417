package dev.pvcpopulators.diskimage.qcow2;

import java.util.zip.DataFormatException;

/// Undoes the compression of one cluster at a time. Used by one thread at a time; closed by whom it
/// was handed to.
public interface ClusterInflater extends AutoCloseable {
  /// Decompresses one complete stream that begins at `offset`.
  ///
  /// The source is longer than the stream: an extent is rounded up to sectors, and the next one may
  /// begin inside its last sector. The count returned is therefore exact.
  ///
  /// @param length bytes that may be read from `source`
  /// @param targetLength bytes the stream must decompress to, no more and no fewer
  /// @return bytes of `source` that the stream took
  /// @throws DataFormatException when the stream is broken, does not end within `length`, or has
  ///   another length than `targetLength`; the message says which
  int inflate(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws DataFormatException;

  @Override
  void close();
}
