package dev.pvcpopulators.kubernetes.foreign;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A DynamicVolume, with the fields that examples use.
public record DynamicVolume(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
  public static final String API_VERSION = "pvcpopulators.dev/v1alpha1";

  public record Spec(
      Container container,
      @Nullable PodTemplateSpec pod,
      @Nullable JsonNode body,
      @Nullable Integer port,
      @Nullable Map<String, JsonNode> service,
      @Nullable Map<String, JsonNode> publish) {}
}
