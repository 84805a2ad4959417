package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.Locale;
import java.util.Set;

/// The media types of manifests, indexes, configurations and layers (OCI image-spec 1.1,
/// media-types.md; Docker image manifest version 2).
public final class MediaTypes {
  public static final String OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  public static final String OCI_INDEX = "application/vnd.oci.image.index.v1+json";
  public static final String OCI_CONFIG = "application/vnd.oci.image.config.v1+json";
  public static final String DOCKER_MANIFEST =
      "application/vnd.docker.distribution.manifest.v2+json";
  public static final String DOCKER_LIST =
      "application/vnd.docker.distribution.manifest.list.v2+json";
  public static final String DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json";

  private static final Set<String> SCHEMA_1 =
      Set.of(
          "application/vnd.docker.distribution.manifest.v1+json",
          "application/vnd.docker.distribution.manifest.v1+prettyjws");

  private MediaTypes() {}

  /// Returns the type without parameters, in lower case (RFC 6838, section 4.2), because a registry
  /// may answer `Content-Type: application/json; charset=utf-8`.
  public static String bare(String mediaType) {
    int semicolon = mediaType.indexOf(';');
    String type = semicolon < 0 ? mediaType : mediaType.substring(0, semicolon);
    return type.strip().toLowerCase(Locale.ROOT);
  }

  /// Returns whether documents of this type are single manifests.
  public static boolean manifest(String mediaType) {
    String type = bare(mediaType);
    return type.equals(OCI_MANIFEST) || type.equals(DOCKER_MANIFEST);
  }

  /// Returns whether documents of this type are indexes.
  public static boolean index(String mediaType) {
    String type = bare(mediaType);
    return type.equals(OCI_INDEX) || type.equals(DOCKER_LIST);
  }

  /// Returns whether documents of this type are configurations of images. Configurations of
  /// artifacts that are not images have other types.
  public static boolean imageConfig(String mediaType) {
    String type = bare(mediaType);
    return type.equals(OCI_CONFIG) || type.equals(DOCKER_CONFIG);
  }

  /// Refuses a layer whose media type says that the layer is encrypted (ocicrypt), is not in the
  /// registry, or must not be copied from the registry (OCI image-spec 1.1, "Non-Distributable
  /// Layers"; Docker's foreign layers).
  ///
  /// @param problem the beginning of the exception's message
  public static void requireReadable(Descriptor layer, String problem)
      throws UnsupportedFeatureException {
    String type = bare(layer.mediaType());
    boolean encrypted = type.endsWith("+encrypted");
    if (encrypted || type.contains(".foreign.") || type.contains(".nondistributable.")) {
      throw new UnsupportedFeatureException(
          "%s it is %s: %s"
              .formatted(
                  problem,
                  encrypted ? "encrypted" : "not distributed with the image",
                  Quoted.of(layer.mediaType())));
    }
  }

  static boolean schema1(String mediaType) {
    return SCHEMA_1.contains(bare(mediaType));
  }
}
