package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.Descriptor;

/// The range in which a blob stores exactly the bytes of the disk's file. The blob is not
/// compressed, and does not store the file as a sparse entry of a tar. Therefore any part of the
/// file can be read out of order ([dev.pvcpopulators.registry.BlobStore#range]).
///
/// @param offset bytes from the beginning of the blob
/// @param length the number of bytes; the range ends within the blob's size
public record StoredRange(Descriptor blob, long offset, long length) {
  public StoredRange {
    if (offset < 0 || length < 0 || length > blob.size() || offset > blob.size() - length) {
      throw new IllegalArgumentException(
          length + " bytes at " + offset + " are no part of a blob of " + blob.size() + " bytes");
    }
  }
}
