package dev.pvcpopulators.operator;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.net.HttpURLConnection;
import java.util.Optional;

/// Creates objects. An existing object of the same name counts as the result of an earlier attempt.
final class Creation {
  private static final String EXISTS = "AlreadyExists";

  private Creation() {}

  /// Creates an object unless it exists.
  ///
  /// @return the object as the API server stored it; empty if the object existed already
  /// @throws KubernetesClientException if the API server refuses the request, or cannot be reached.
  ///   A 409 with another reason than `AlreadyExists` is also a refusal: the API server created
  ///   nothing, for example because the quota of the namespace changed at the same time
  static <T> Optional<T> of(Resource<T> resource) {
    try {
      return Optional.of(resource.create());
    } catch (KubernetesClientException e) {
      boolean exists =
          e.getCode() == HttpURLConnection.HTTP_CONFLICT
              && e.getStatus() != null
              && EXISTS.equals(e.getStatus().getReason());
      if (exists) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
