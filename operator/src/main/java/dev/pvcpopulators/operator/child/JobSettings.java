package dev.pvcpopulators.operator.child;

import java.util.Map;
import java.util.Optional;

/// What the cluster's administrator chose for all Jobs.
///
/// @param imagePrefix registry and path before the services' names
/// @param imageTag tag of the services' images
/// @param pullPolicy `imagePullPolicy` of the container
/// @param statusPort port on which Jobs serve their status
/// @param environment variables of every Job, such as proxies
public record JobSettings(
    String imagePrefix,
    String imageTag,
    String pullPolicy,
    Optional<Integer> statusPort,
    Map<String, String> environment) {
  public JobSettings {
    environment = Map.copyOf(environment);
  }

  String image(String service) {
    return imagePrefix + "/" + service + ":" + imageTag;
  }
}
