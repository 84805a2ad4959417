package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.Descriptor;

/// Where bytes lie in a blob, stored as they are, so that any part of them can be had out of order
/// ([BlobStore#range]).
///
/// @param offset bytes from the beginning of the blob
/// @param length bytes; the range ends within the blob's size
public record StoredRange(Descriptor blob, long offset, long length) {
  public StoredRange {
    if (offset < 0 || length < 0 || length > blob.size() || offset > blob.size() - length) {
      throw new IllegalArgumentException(
          length + " bytes at " + offset + " are no part of a blob of " + blob.size() + " bytes");
    }
  }
}
