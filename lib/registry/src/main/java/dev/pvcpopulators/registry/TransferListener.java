package dev.pvcpopulators.registry;

/// Receives the progress of the transfer of a blob, on the thread that reads the blob. Each call
/// must return quickly.
@FunctionalInterface
public interface TransferListener {
  /// A listener that does nothing.
  TransferListener NONE = bytes -> {};

  /// Called when more bytes of the blob have arrived. The bytes are counted in the order of the
  /// blob, and a byte that is fetched twice is counted once.
  ///
  /// @param bytes the number of bytes since the last call
  void received(long bytes);
}
