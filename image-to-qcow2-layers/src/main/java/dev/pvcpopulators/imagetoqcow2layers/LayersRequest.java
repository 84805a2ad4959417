package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.imagetoqcow2layers.boot.ProcessOverrides;
import dev.pvcpopulators.imagetoqcow2layers.store.QcowDevice;
import dev.pvcpopulators.kit.source.ChosenImage;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A request for a machine: the settings, overridden by the fields of a client's request.
///
/// @param image the image
/// @param name the name of the machine
/// @param geometry the geometry of the file system in the layers
/// @param compression whether the clusters of the layers are compressed
/// @param journal whether the file system on the machine's disk has a journal
/// @param flatten whether to make the flattened disk
/// @param dataGeometry the geometry of the file system on the second disk, which contains the
///   image's volumes; empty if the machine has no second disk
/// @param overrides the overrides of the image's process
record LayersRequest(
    ChosenImage image,
    String name,
    Geometry geometry,
    boolean compression,
    boolean journal,
    boolean flatten,
    Optional<Geometry> dataGeometry,
    ProcessOverrides overrides) {
  /// Returns the registry that controls the access to the layers' blobs; `local` for layouts and
  /// archives. All layouts and archives share the name `local`, because all of them belong to the
  /// administrator of the service: a client can name only the configured layout or archive.
  String registry() {
    return switch (image.reference()) {
      case SourceReference.Remote remote -> remote.registry().toLowerCase(Locale.ROOT);
      case SourceReference.Local _ -> "local";
    };
  }

  /// The prefix of this service's environment variables.
  static final String PREFIX = "IMAGE_TO_QCOW2_LAYERS_";

  /// The fields that a client may set.
  static final Set<String> FIELDS =
      Set.of(
          "image",
          "platform",
          "name",
          "size",
          "dataSize",
          "entrypoint",
          "command",
          "environment",
          "user",
          "workingDirectory");

  /// The maximum size in bytes of the file system in the layers: 8 TiB, which is QEMU's maximum for
  /// clusters of 4 KiB. A cluster of a layer has the size of a file system block, which is 4 KiB.
  static final long MAX_SIZE = Qcow2Writer.Options.maxVirtualSize(QcowDevice.CLUSTER_BITS);

  private static final int MAX_NAME = 63;
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  /// Combines settings and request.
  ///
  /// @throws VolumeException with [dev.pvcpopulators.volume.Failure.InvalidRequest] if a value is
  ///   invalid
  static LayersRequest of(LayersSettings settings, VolumeRequest request) throws VolumeException {
    // If no platform is requested, the image must be for the platform of the host on which this
    // process runs, because the kernel that the machine boots is also for this platform.
    ImageChoice otherwise = new ImageChoice(Platform.ofThisMachine(), "", true);
    ChosenImage image = ChosenImage.of(PREFIX + "IMAGE", settings, otherwise, request);
    String name =
        request
            .value("name", settings.name(), LayersRequest::name)
            .orElseGet(() -> name(image.reference()));
    return new LayersRequest(
        image,
        name,
        request.value("size", settings.size(), LayersRequest::layered),
        settings.compression(),
        settings.journal(),
        settings.flatten(),
        request.value("dataSize", settings.dataSize(), LayersRequest::geometry),
        overrides(settings, request, name));
  }

  private static ProcessOverrides overrides(
      LayersSettings settings, VolumeRequest request, String hostname) throws VolumeException {
    return new ProcessOverrides(
        request.value("entrypoint", settings.entrypoint(), LayersRequest::words),
        request.value("command", settings.command(), LayersRequest::words),
        request
            .value("environment", settings.environment(), LayersRequest::lines)
            .orElse(List.of()),
        request.text("user").or(settings::user),
        request.text("workingDirectory").or(settings::workingDirectory),
        hostname);
  }

  static List<String> words(String text) {
    return Words.parse(text, "\\s+");
  }

  static List<String> lines(String text) {
    return Words.parse(text, "\n");
  }

  static Geometry layered(String text) {
    Geometry geometry = geometry(text);
    if (geometry.size() > MAX_SIZE) {
      throw new IllegalArgumentException(
          "layers have at most %s, found %s".formatted(DiskSize.of(MAX_SIZE), text));
    }
    return geometry;
  }

  static Geometry geometry(String text) {
    return new Geometry(DiskSize.parse(text));
  }

  static String name(String text) {
    if (!NAME.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "expected a DNS label (a-z, 0-9, -; at most 63), found '" + text + "'");
    }
    return text;
  }

  /// Derives a valid name from the last part of the image's name and its tag; ignores the digest.
  private static String name(SourceReference reference) {
    String text = reference.toString();
    int digest = text.indexOf('@');
    text = digest < 0 ? text : text.substring(0, digest);
    String label =
        text.substring(text.lastIndexOf('/') + 1)
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9]+", "-");
    label = label.substring(0, Math.min(MAX_NAME, label.length())).replaceAll("^-+|-+$", "");
    return label.isEmpty() ? "image" : label;
  }

  SourceReference reference() {
    return image.reference();
  }
}
