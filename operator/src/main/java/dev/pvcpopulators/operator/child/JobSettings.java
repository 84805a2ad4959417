package dev.pvcpopulators.operator.child;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The settings that the cluster's administrator has made for the pods of all services.
///
/// @param imagePrefix registry and path that precede the services' names
/// @param imageTag tag of the services' images
/// @param pullPolicy `imagePullPolicy` of the containers
/// @param statusPort port on which all Jobs except those of uploads serve their status; empty if
///   these Jobs serve no status
/// @param environment the environment variables of every Job and stream, such as `HTTPS_PROXY`; the
///   containers get the variables in the order of the map
public record JobSettings(
    String imagePrefix,
    String imageTag,
    String pullPolicy,
    Optional<Integer> statusPort,
    Map<String, String> environment) {
  private static final List<String> SERVICES =
      List.of(
          "REGISTRY_COPY_",
          "REGISTRY_STREAM_ISCSI_",
          "HTTP_COPY_",
          "HTTP_UPLOAD_",
          "IMAGE_TO_QCOW2_LAYERS_");

  public JobSettings {
    // Map.copyOf does not keep the order. The order matters, because a variable may refer to an
    // earlier variable with `$(NAME)`.
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
  }

  /// Returns the environment variables for one service, as a new map that the caller may change.
  /// The settings of other services are omitted.
  ///
  /// @param prefix prefix of the service's own settings
  Map<String, String> environment(String prefix) {
    Map<String, String> own = new LinkedHashMap<>();
    environment.forEach((name, value) -> {
      boolean another = !name.startsWith(prefix) && SERVICES.stream().anyMatch(name::startsWith);
      if (!another) {
        own.put(name, value);
      }
    });
    return own;
  }

  String image(String service) {
    return imagePrefix + "/" + service + ":" + imageTag;
  }
}
