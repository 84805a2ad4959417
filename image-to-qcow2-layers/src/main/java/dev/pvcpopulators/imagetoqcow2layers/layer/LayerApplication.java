package dev.pvcpopulators.imagetoqcow2layers.layer;

import dev.pvcpopulators.ext4.LayerEdit;
import java.io.IOException;
import java.io.InputStream;

/// Applies a layer's tar to a file system (OCI image-spec 1.1, layer.md).
@SuppressWarnings("DoNotCallSuggester")
public final class LayerApplication {
  private LayerApplication() {}

  /// Reads a tar to its very end and applies its entries in order.
  ///
  /// @param tar not compressed; stays the caller's
  /// @throws dev.pvcpopulators.ext4.FileSystemFullException where the file system is too small,
  ///   naming what it would take for the whole of this tar
  /// @throws dev.pvcpopulators.diskimage.MalformedImageException where the tar is damaged
  public static void apply(InputStream tar, LayerEdit edit) throws IOException {
    throw new UnsupportedOperationException("skeleton");
  }
}
