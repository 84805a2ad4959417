package dev.pvcpopulators.registry;

/// Receives the progress of the transfer of a blob, on the thread that reads the blob. Each call
/// must return quickly.
@FunctionalInterface
public interface TransferListener {
  /// A listener that does nothing.
  TransferListener NONE = bytes -> {};

  /// Called whenever more bytes of the blob have been read. Each byte of the blob is counted once,
  /// even if the byte is fetched again after a lost connection.
  ///
  /// @param bytes the number of bytes since the last call
  void received(long bytes);
}
