package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.MediaTypes;

/// The meaning of a layer's media type and annotations. The compression is determined by the magic
/// number at the beginning of the layer, not by the media type.
final class LayerTypes {
  /// The media type of a disk in KubeVirt's OCI export (`pkg/storage/oci`), without the suffix for
  /// the compression.
  private static final String KUBEVIRT_DISK = "application/vnd.kubevirt.disk.raw";

  /// The empty descriptor's media type (OCI image-spec 1.1, "Guidance for an Empty Descriptor").
  private static final String EMPTY = "application/vnd.oci.empty.v1+json";

  /// The annotation with the file name, as written by ORAS (OCI image-spec 1.1, annotations.md).
  static final String TITLE = "org.opencontainers.image.title";

  /// ORAS's annotation of a layer that is the tar of a directory and must be unpacked.
  private static final String UNPACK = "io.deis.oras.content.unpack";

  private LayerTypes() {}

  static boolean empty(Descriptor layer) {
    return layer.size() == 0 || type(layer).equals(EMPTY);
  }

  static boolean kubeVirtDisk(Descriptor layer) {
    return type(layer).startsWith(KUBEVIRT_DISK);
  }

  /// Returns whether the media type or the annotation says that a layer is a tar with a part of a
  /// file system. The result is also true for a file to which ORAS gave the media type of a tar
  /// layer; see [#file].
  static boolean tar(Descriptor layer) {
    String type = type(layer);
    return type.startsWith("application/vnd.oci.image.layer.")
        || type.startsWith("application/vnd.docker.image.rootfs.")
        || type.equals("application/x-tar")
        || type.equals("application/tar")
        || type.startsWith("application/tar+")
        || unpacked(layer);
  }

  /// Returns whether a layer is itself one file, and not a tar of a part of a file system. A layer
  /// that is not a tar according to [#tar] is a file. ORAS gives files the media type of a tar
  /// layer, unless the user names another media type. Therefore a layer with the media type of a
  /// tar is a file, too, if it has a title and is not marked to be unpacked.
  static boolean file(Descriptor layer) {
    return !tar(layer) || (layer.annotations().containsKey(TITLE) && !unpacked(layer));
  }

  private static boolean unpacked(Descriptor layer) {
    return layer.annotations().getOrDefault(UNPACK, "").equals("true");
  }

  private static String type(Descriptor layer) {
    return MediaTypes.bare(layer.mediaType());
  }
}
