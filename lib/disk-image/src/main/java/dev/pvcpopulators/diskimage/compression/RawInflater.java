package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;

/// Inflates deflate streams (RFC 1951) in sequence; the streams have no header or trailer of gzip
/// or zlib.
///
/// Used by one thread at a time; [#close] frees native memory.
sealed interface RawInflater extends AutoCloseable permits IsalInflater, JdkInflater {
  /// Name of the structure in exceptions.
  String STRUCTURE = "deflate stream";

  /// Opens the fastest inflater whose library is available.
  static RawInflater open() {
    return IsalLibrary.installed().<RawInflater>map(IsalInflater::new).orElseGet(JdkInflater::new);
  }

  /// Inflates into the array and takes as much of the source as needed.
  ///
  /// @param length at least 1
  /// @return bytes written, at least 1; or -1 at the end of the deflate stream, with the source
  ///   positioned directly after it
  /// @throws MalformedImageException if the stream is damaged or the source ends inside it
  int inflate(SourceBuffer source, byte[] target, int offset, int length) throws IOException;

  /// Prepares for another deflate stream.
  void reset();

  @Override
  void close();
}
