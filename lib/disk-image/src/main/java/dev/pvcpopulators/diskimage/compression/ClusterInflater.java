package dev.pvcpopulators.diskimage.compression;

import java.util.zip.DataFormatException;

/// Decompresses one piece of data at a time, for example a compressed cluster of qcow2. The caller
/// knows the decompressed length.
///
/// Each instance is for one thread at a time; [#close] frees native memory.
public interface ClusterInflater extends AutoCloseable {
  /// Opens an inflater for raw deflate (RFC 1951) that uses the fastest available library.
  static ClusterInflater open() {
    return LibdeflateLibrary.installed()
        .<ClusterInflater>map(LibdeflateClusterInflater::new)
        .orElseGet(JdkClusterInflater::new);
  }

  /// Decompresses one complete stream that begins at `offset` in `source`.
  ///
  /// The source may be longer than the stream: qcow2 gives the extent of a compressed cluster in
  /// sectors, and the next cluster may begin inside the last sector. Therefore this method returns
  /// the exact number of bytes that the stream took.
  ///
  /// @param length number of bytes that may be read from `source`, starting at `offset`
  /// @param targetLength exact number of bytes that the stream must decompress to
  /// @return number of bytes of `source` that the stream took, at most `length`
  /// @throws DataFormatException if the stream is damaged, does not end within `length` bytes, or
  ///   decompresses to a length other than `targetLength`
  int inflate(
      byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
      throws DataFormatException;

  @Override
  void close();
}
