package dev.pvcpopulators.registry.disk;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/// Determines which layer of an artifact is the disk (OCI image-spec 1.1, manifest.md, "Guidelines
/// for Artifact Usage").
///
/// An image has an image's configuration and at least one layer that is a tar. Every other manifest
/// is an artifact, whose layers can be separate files:
///
/// | Created by              | Layer                                                         |
/// |-------------------------|---------------------------------------------------------------|
/// | KubeVirt's OCI export   | `application/vnd.kubevirt.disk.raw+zstd`, one for each volume |
/// | ORAS                    | any media type, with a title                                  |
/// | podman machine          | `application/zstd`, with a title                              |
///
/// If all layers of an artifact are tars of directories (ORAS, with `io.deis.oras.content.unpack`),
/// the artifact is searched like an image.
final class ArtifactLayers {
  private static final String DISK_NAME = "io.kubevirt.disk.name";

  private ArtifactLayers() {}

  /// Returns the index of the layer that is the disk; empty if the layers must be searched for the
  /// disk instead.
  ///
  /// @throws UnsupportedFeatureException if no file of the artifact has the name that the path
  ///   requires, or if more than one file can be the disk
  static OptionalInt choose(Image image, DiskPath path) throws UnsupportedFeatureException {
    List<Descriptor> layers = image.manifest().layers();
    List<Integer> files = files(image);
    if (files.isEmpty()) {
      return OptionalInt.empty();
    }
    List<Integer> chosen =
        path.containerDisk()
            ? files
            : files.stream()
                .filter(index -> names(layers.get(index)).stream().anyMatch(path.name()::matches))
                .toList();
    if (chosen.size() != 1) {
      Names names = new Names();
      files.forEach(index -> names.add(Quoted.of(name(layers.get(index)))));
      throw new UnsupportedFeatureException(
          (chosen.isEmpty()
                  ? "No disk: no file of the artifact has the name " + Quoted.of(path.name().text())
                  : "Expected exactly one disk in the artifact; a path whose last component is its"
                      + " name chooses one")
              + "; found "
              + names);
    }
    return OptionalInt.of(chosen.getFirst());
  }

  /// Returns the indexes of the layers that are files. If some layers have KubeVirt's media type of
  /// a disk, returns only the indexes of the layers with that media type. Returns no indexes for an
  /// image.
  private static List<Integer> files(Image image) {
    List<Descriptor> layers = image.manifest().layers();
    List<Integer> files = new ArrayList<>();
    List<Integer> disks = new ArrayList<>();
    boolean tar = false;
    for (int index = 0; index < layers.size(); index++) {
      Descriptor layer = layers.get(index);
      tar |= LayerTypes.tar(layer);
      if (LayerTypes.kubeVirtDisk(layer)) {
        disks.add(index);
      } else if (!LayerTypes.empty(layer) && LayerTypes.file(layer)) {
        files.add(index);
      }
    }
    if (image.config().isPresent() && tar) {
      return List.of();
    }
    return disks.isEmpty() ? files : disks;
  }

  /// Returns a layer's name for messages and for [FoundDisk#path]: the disk's name in KubeVirt's
  /// annotation, or else the last component of the layer's title, or else the layer's digest.
  static String name(Descriptor layer) {
    return names(layer).getFirst();
  }

  private static List<String> names(Descriptor layer) {
    List<String> names = new ArrayList<>();
    if (LayerTypes.kubeVirtDisk(layer)) {
      names.add(layer.annotations().getOrDefault(DISK_NAME, ""));
    }
    String title = layer.annotations().getOrDefault(LayerTypes.TITLE, "");
    names.add(title.substring(title.lastIndexOf('/') + 1));
    names.removeIf(String::isEmpty);
    names.add(layer.digest().toString());
    return names;
  }
}
