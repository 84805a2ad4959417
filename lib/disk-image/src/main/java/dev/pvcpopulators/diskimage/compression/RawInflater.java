package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;

/// Inflates deflate streams (RFC 1951), one after another, without any wrapper around them.
///
/// For one thread at a time; native memory is given back by [#close].
sealed interface RawInflater extends AutoCloseable permits IsalInflater, JdkInflater {
  /// Name of the structure in failures.
  String STRUCTURE = "deflate stream";

  /// The fastest that this machine has.
  static RawInflater open() {
    return IsalLibrary.installed().<RawInflater>map(IsalInflater::new).orElseGet(JdkInflater::new);
  }

  /// Inflates into the array, taking as much of the source as that needs.
  ///
  /// @return bytes written, at least 1; or -1 at the end of the deflate stream, the source then
  ///   standing right behind it
  /// @throws MalformedImageException when the stream is damaged or the source ends inside of it
  int inflate(SourceBuffer source, byte[] target, int offset, int length) throws IOException;

  /// Gets ready for another deflate stream.
  void reset();

  @Override
  void close();
}
