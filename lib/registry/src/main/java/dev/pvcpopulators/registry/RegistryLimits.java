package dev.pvcpopulators.registry;

/// Limits for the amount of data that this process accepts from a source.
public final class RegistryLimits {
  /// Maximum length of a manifest, an index or a configuration in bytes. Every registry should
  /// accept manifests of this length (OCI distribution-spec 1.1, "Pushing Manifests").
  public static final int MANIFEST_LENGTH = 4 << 20;

  /// Maximum number of layers of an image. Docker's limit is 127; containerd has no limit.
  public static final int LAYERS = 1_000;

  /// Maximum number of entries of an index.
  public static final int INDEX_ENTRIES = 1_000;

  /// Maximum number of annotations of one descriptor, manifest or index, and of labels of an image.
  public static final int ANNOTATIONS = 1_000;

  /// Maximum number of characters of an annotation's or a label's value. The maximum is large,
  /// because build tools store whole documents in such values. The same maximum applies to the
  /// working directory, to each string of the environment, the command and the entry point, and to
  /// each string in the `manifest.json` of `docker save`.
  public static final int ANNOTATION_LENGTH = 1 << 20;

  /// Maximum number of strings of a list or a set in a configuration, such as the environment or
  /// the exposed ports.
  public static final int STRINGS = 10_000;

  /// Maximum number of characters of a media type, of a platform's field, of the name of an
  /// annotation or label, and of the other short strings of a manifest or configuration.
  public static final int NAME_LENGTH = 1_024;

  /// Maximum length in bytes of a part of a blob that is requested by [BlobStore#range].
  public static final int RANGE_LENGTH = 16 << 20;

  private RegistryLimits() {}

  /// Checks the arguments of [BlobStore#range].
  ///
  /// @throws IllegalArgumentException if the part is empty, too long or not within the blob
  public static void requireRange(Descriptor blob, long offset, long length) {
    boolean within = offset >= 0 && length <= blob.size() && offset <= blob.size() - length;
    if (length < 1 || length > RANGE_LENGTH || !within) {
      throw new IllegalArgumentException(
          length + " bytes at " + offset + " are no part of a blob of " + blob.size() + " bytes");
    }
  }
}
