package dev.pvcpopulators.registry;

/// Hears of the bytes of a blob as they come, on the thread that reads them. Returns quickly.
@FunctionalInterface
public interface TransferListener {
  /// Hears nothing.
  TransferListener NONE = bytes -> {};

  /// More bytes of the blob came, in the order of the blob; what had to be fetched twice counts
  /// once.
  ///
  /// @param bytes since the last call
  void received(long bytes);
}
