package dev.pvcpopulators.registry;

import java.util.List;
import java.util.Map;

/// What is kept of an image's configuration (OCI image-spec 1.1, config.md).
///
/// @param diffIds digests of the layers before compression, from the bottom up
/// @param environment `NAME=VALUE`, in order
/// @param labels of the image
public record ImageConfig(
    Platform platform,
    List<Digest> diffIds,
    List<String> environment,
    Map<String, String> labels,
    List<String> entrypoint,
    List<String> command,
    String workingDirectory,
    String user) {
  public ImageConfig {
    diffIds = List.copyOf(diffIds);
    environment = List.copyOf(environment);
    labels = Map.copyOf(labels);
    entrypoint = List.copyOf(entrypoint);
    command = List.copyOf(command);
  }
}
