package dev.pvcpopulators.kubernetes.foreign;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An HTTPRoute of the Gateway API (gateway.networking.k8s.io/v1). Its rules match requests only by
/// path.
public record HttpRoute(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
  public static final String API_VERSION = "gateway.networking.k8s.io/v1";

  public record Spec(
      List<ParentRef> parentRefs, @Nullable List<String> hostnames, List<Rule> rules) {}

  public record ParentRef(String name, @Nullable String namespace, @Nullable String sectionName) {}

  public record Rule(
      List<Match> matches, @Nullable Timeouts timeouts, List<BackendRef> backendRefs) {}

  public record Match(Path path) {}

  public record Path(String type, String value) {}

  public record Timeouts(@Nullable String request, @Nullable String backendRequest) {}

  public record BackendRef(String name, Integer port) {}
}
