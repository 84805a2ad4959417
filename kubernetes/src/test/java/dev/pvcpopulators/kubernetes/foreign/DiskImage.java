package dev.pvcpopulators.kubernetes.foreign;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A DiskImage, with the fields that examples use.
public record DiskImage(String apiVersion, String kind, ObjectMeta metadata, Spec spec) {
  public static final String API_VERSION = "pvcpopulators.dev/v1alpha1";

  public record Spec(
      @Nullable Map<String, String> registry,
      @Nullable Map<String, String> http,
      @Nullable Map<String, String> upload,
      @Nullable Map<String, String> machine,
      @Nullable Boolean expand) {}
}
