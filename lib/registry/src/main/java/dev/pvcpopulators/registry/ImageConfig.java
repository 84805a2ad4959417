package dev.pvcpopulators.registry;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The fields of an image's configuration that this project uses (OCI image-spec 1.1, config.md).
///
/// @param platform the platform; its fields are empty if the configuration does not give them
/// @param diffIds digests of the uncompressed layers, from the bottom up
/// @param environment the environment variables as `NAME=VALUE`, in the order of the configuration
/// @param labels the labels of the image
/// @param volumes paths of the volumes that the image declares, in lexical order
/// @param exposedPorts ports such as `80/tcp`, in lexical order
/// @param stopSignal the name of a signal such as `SIGTERM`, or its number; empty if the
///   configuration gives none
public record ImageConfig(
    Platform platform,
    List<Digest> diffIds,
    List<String> environment,
    Map<String, String> labels,
    List<String> entrypoint,
    List<String> command,
    String workingDirectory,
    String user,
    List<String> volumes,
    List<String> exposedPorts,
    String stopSignal) {
  public ImageConfig {
    diffIds = List.copyOf(diffIds);
    environment = List.copyOf(environment);
    labels = Map.copyOf(labels);
    entrypoint = List.copyOf(entrypoint);
    command = List.copyOf(command);
    volumes = List.copyOf(volumes);
    exposedPorts = List.copyOf(exposedPorts);
  }

  /// Reads a configuration; missing fields are empty.
  ///
  /// @throws MalformedImageException if a field has another type than the specification says, or
  ///   exceeds [RegistryLimits]; or if a diff ID is not a digest
  /// @throws UnsupportedFeatureException if the algorithm of a diff ID is not in [Digest.Algorithm]
  public static ImageConfig read(JsonValue document)
      throws MalformedImageException, UnsupportedFeatureException {
    List<Digest> diffIds = new ArrayList<>();
    for (JsonValue item : document.field("rootfs").field("diff_ids").items(RegistryLimits.LAYERS)) {
      diffIds.add(item.digest());
    }
    JsonValue execution = document.field("config");
    return new ImageConfig(
        Platform.read(document),
        diffIds,
        execution.field("Env").strings(RegistryLimits.STRINGS),
        execution.field("Labels").annotations(),
        execution.field("Entrypoint").strings(RegistryLimits.STRINGS),
        execution.field("Cmd").strings(RegistryLimits.STRINGS),
        execution.field("WorkingDir").text(RegistryLimits.ANNOTATION_LENGTH),
        execution.field("User").name(),
        execution.field("Volumes").names(),
        execution.field("ExposedPorts").names(),
        execution.field("StopSignal").name());
  }
}
