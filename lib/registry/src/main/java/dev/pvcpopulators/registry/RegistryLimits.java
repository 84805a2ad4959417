package dev.pvcpopulators.registry;

/// Bounds of what a source can make us keep.
public final class RegistryLimits {
  /// Bytes of a manifest, an index or a configuration: what registries accept (OCI
  /// distribution-spec 1.1, "Pushing Manifests").
  public static final int MANIFEST_LENGTH = 4 << 20;

  /// Layers of an image. Docker's limit is 127, containerd has none.
  public static final int LAYERS = 1_000;

  /// Entries of an index.
  public static final int INDEX_ENTRIES = 1_000;

  /// Annotations of one descriptor, manifest or index, and labels of an image.
  public static final int ANNOTATIONS = 1_000;

  /// Characters of an annotation's or a label's value. Build tools keep whole documents there.
  public static final int ANNOTATION_LENGTH = 1 << 20;

  /// Strings of a list in a configuration: environment, command.
  public static final int STRINGS = 10_000;

  /// Characters of a media type, of a platform's words, of an annotation's name.
  public static final int NAME_LENGTH = 1_024;

  /// Bytes of a part of a blob that is asked for out of order.
  public static final int RANGE_LENGTH = 16 << 20;

  private RegistryLimits() {}

  /// Checks what is asked of [BlobStore#range].
  ///
  /// @throws IllegalArgumentException for a part that is empty, too long or not within the blob
  public static void requireRange(Descriptor blob, long offset, long length) {
    boolean within = offset >= 0 && length <= blob.size() && offset <= blob.size() - length;
    if (length < 1 || length > RANGE_LENGTH || !within) {
      throw new IllegalArgumentException(
          length + " bytes at " + offset + " are no part of a blob of " + blob.size() + " bytes");
    }
  }
}
