package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.registry.BlobStore;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// Layers of one image on their way: a few of them at once, each into a bounded buffer, so that the
/// next one's first bytes are here when the one before has been applied.
@SuppressWarnings("DoNotCallSuggester")
public final class LayerPulls implements Closeable {
  private LayerPulls() {}

  /// Begins to pull.
  ///
  /// @param layers in the order in which they will be wanted
  /// @param blobs stays the caller's
  public static LayerPulls start(
      List<LayerSource> layers, BlobStore blobs, LayerListener listener) {
    throw new UnsupportedOperationException("skeleton");
  }

  /// The tar of the next layer. It ends with -1 only where the blob's digest and size and the tar's
  /// diff ID are what they should be; else with a
  /// [dev.pvcpopulators.registry.DigestMismatchException].
  ///
  /// @return owned by the caller
  public InputStream next() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }

  /// Ends all transfers. From any thread.
  @Override
  public void close() throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}
