package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.MalformedImageException;

/// Inflates small pieces of raw deflate (RFC 1951) whose decompressed length is known, such as the
/// compressed clusters of qcow2.
///
/// Each instance is for one thread; native memory is given back by [#close].
public sealed interface ClusterInflater extends AutoCloseable
    permits JdkClusterInflater, LibdeflateClusterInflater {
  /// Makes one with the fastest library that this machine has.
  static ClusterInflater open() {
    return LibdeflateLibrary.installed()
        .<ClusterInflater>map(LibdeflateClusterInflater::new)
        .orElseGet(JdkClusterInflater::new);
  }

  /// Inflates one stream to exactly the given length. Bytes behind its end are left alone: in qcow2
  /// the extent of a compressed cluster is given in sectors.
  ///
  /// @return how many bytes the stream has, at most `inLength`
  /// @throws MalformedImageException when the stream is damaged, cut, or of another length
  int inflateRaw(byte[] in, int inOffset, int inLength, byte[] out, int outOffset, int outLength)
      throws MalformedImageException;

  @Override
  void close();
}
