package dev.pvcpopulators.populate.upload;

/// The progress of the upload that the service has.
///
/// @param key the name that its client chose; empty for none
/// @param offset bytes that have arrived
/// @param complete whether all have arrived
record Place(String key, long offset, boolean complete) {
  /// Returns whether the service has no upload.
  boolean vacant() {
    return key.isEmpty() && offset == 0 && !complete;
  }
}
