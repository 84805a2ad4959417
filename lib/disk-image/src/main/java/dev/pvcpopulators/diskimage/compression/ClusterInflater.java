package dev.pvcpopulators.diskimage.compression;

import java.util.zip.DataFormatException;

/// Undoes the compression of one piece of known length at a time, such as a compressed cluster of
/// qcow2.
///
/// Each instance is for one thread at a time; native memory is given back by [#close].
public interface ClusterInflater extends AutoCloseable {
  /// Makes one for raw deflate (RFC 1951) with the fastest library that this machine has.
  static ClusterInflater open() {
    return LibdeflateLibrary.installed()
        .<ClusterInflater>map(LibdeflateClusterInflater::new)
        .orElseGet(JdkClusterInflater::new);
  }

  /// Decompresses one complete stream that begins at `offset`.
  ///
  /// The source may be longer than the stream: in qcow2 the extent of a compressed cluster is given
  /// in sectors, and the next one may begin inside its last sector. The count returned is therefore
  /// exact.
  ///
  /// @param length bytes that may be read from `source`
  /// @param targetLength bytes the stream must decompress to, no more and no fewer
  /// @return bytes of `source` that the stream took, at most `length`
  /// @throws DataFormatException when the stream is damaged, does not end within `length`, or has
  ///   another length than `targetLength`; the message says which
  int inflate(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws DataFormatException;

  @Override
  void close();
}
