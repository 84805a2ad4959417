package dev.pvcpopulators.diskimage.pipeline;

import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/// A source that can be read from its beginning more than once, such as a blob of a registry.
public interface RepeatableSource {
  /// Opens a stream from the first byte on. Only one stream is open at a time. Each stream returns
  /// the same bytes, or throws an exception at its end if it detects that a digest or a length
  /// differs.
  ///
  /// @return a stream that the caller closes
  InputStream open() throws IOException;

  /// Returns the length of the source in bytes, if known.
  OptionalLong length();
}
