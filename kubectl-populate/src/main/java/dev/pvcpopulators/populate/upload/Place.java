package dev.pvcpopulators.populate.upload;

/// The service's current upload and its progress.
///
/// @param key the `Upload-Key` of the client that began the upload; empty if the service reports no
///   key
/// @param offset the number of bytes that have arrived
/// @param complete whether all bytes have arrived
record Place(String key, long offset, boolean complete) {
  /// Returns whether the service has no upload.
  boolean vacant() {
    return key.isEmpty() && offset == 0 && !complete;
  }
}
