package dev.pvcpopulators.registry;

import java.io.IOException;
import java.io.InputStream;

/// A source of blobs. Each blob is verified while it is read.
@FunctionalInterface
public interface BlobOpener {
  /// Opens a blob. Reading ends with -1 only if digest and size match the descriptor. If digest or
  /// size differs, a read throws a [dev.pvcpopulators.http.DigestMismatchException]. If a
  /// connection is lost, the transfer is resumed transparently; the number of retries is limited.
  ///
  /// @param listener receives the number of received bytes; a byte that is fetched again after a
  ///   lost connection is not counted again
  /// @return the bytes of the blob; the caller owns the stream. Closing the stream early ends the
  ///   transfer
  InputStream blob(Descriptor descriptor, TransferListener listener) throws IOException;
}
