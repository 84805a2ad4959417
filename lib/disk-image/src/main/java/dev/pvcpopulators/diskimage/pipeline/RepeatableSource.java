package dev.pvcpopulators.diskimage.pipeline;

import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalLong;

/// A source that can be read from its beginning more than once, as a blob of a registry can.
public interface RepeatableSource {
  /// Begins to read it, from its first byte on. One stream is open at a time; each gives the same
  /// bytes, and throws at its end where it knows that it did not (a digest, a length).
  ///
  /// @return closed by whoever reads it
  InputStream open() throws IOException;

  /// Bytes of the source, where known.
  OptionalLong length();
}
