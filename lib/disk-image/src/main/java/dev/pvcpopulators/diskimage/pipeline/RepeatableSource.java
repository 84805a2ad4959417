package dev.pvcpopulators.diskimage.pipeline;

import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/// A source that can be read from its beginning more than once, such as a blob of a registry.
public interface RepeatableSource {
  /// Opens a stream that begins at the first byte of the source. Only one stream is open at a time.
  /// Each stream must return the same bytes. A stream that verifies a digest or a length throws an
  /// exception at the end of the stream if the digest or the length is wrong.
  ///
  /// @return a stream that the caller closes
  InputStream open() throws IOException;

  /// Returns the length of the source in bytes, if known.
  OptionalLong length();
}
