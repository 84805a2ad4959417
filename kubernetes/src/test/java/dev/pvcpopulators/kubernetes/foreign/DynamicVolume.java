package dev.pvcpopulators.kubernetes.foreign;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A DynamicVolume, with the fields that examples use. The fields `container` and `pod` are
/// incomplete in the examples, because the operator adds required fields such as names.
public record DynamicVolume(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
  public static final String API_VERSION = "pvcpopulators.dev/v1alpha1";

  public record Spec(
      JsonNode container,
      @Nullable JsonNode pod,
      @Nullable JsonNode body,
      @Nullable Integer port,
      @Nullable Map<String, JsonNode> service,
      @Nullable Map<String, JsonNode> publish) {}
}
