package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.MediaTypes;

/// What the media type and the annotations of a layer say it is. How it is compressed is not asked
/// here: that is for its magic number to say.
final class LayerTypes {
  /// A disk of KubeVirt's OCI export (`pkg/storage/oci`).
  private static final String KUBEVIRT_DISK = "application/vnd.kubevirt.disk.raw";

  /// OCI image-spec 1.1, "Guidance for an Empty Descriptor".
  private static final String EMPTY = "application/vnd.oci.empty.v1+json";

  /// OCI image-spec 1.1, annotations.md: the file name, as ORAS writes it.
  static final String TITLE = "org.opencontainers.image.title";

  /// ORAS: the layer is a tar of a directory, to be unpacked.
  private static final String UNPACK = "io.deis.oras.content.unpack";

  private LayerTypes() {}

  static boolean empty(Descriptor layer) {
    return layer.size() == 0 || type(layer).equals(EMPTY);
  }

  static boolean kubeVirtDisk(Descriptor layer) {
    return type(layer).startsWith(KUBEVIRT_DISK);
  }

  /// A part of a file system, as a tar.
  static boolean tar(Descriptor layer) {
    String type = type(layer);
    return type.startsWith("application/vnd.oci.image.layer.")
        || type.startsWith("application/vnd.docker.image.rootfs.")
        || type.equals("application/x-tar")
        || type.equals("application/tar")
        || type.startsWith("application/tar+")
        || unpacked(layer);
  }

  /// Returns whether a layer is a file of its own. ORAS gives files the media type of a tar layer
  /// unless the user names another, so only the title tells them apart.
  static boolean file(Descriptor layer) {
    return !tar(layer) || (layer.annotations().containsKey(TITLE) && !unpacked(layer));
  }

  private static boolean unpacked(Descriptor layer) {
    return layer.annotations().getOrDefault(UNPACK, "").equals("true");
  }

  static boolean foreign(Descriptor layer) {
    return MediaTypes.foreign(layer.mediaType());
  }

  static boolean encrypted(Descriptor layer) {
    return MediaTypes.encrypted(layer.mediaType());
  }

  private static String type(Descriptor layer) {
    return MediaTypes.bare(layer.mediaType());
  }
}
