package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The specification of a DiskImage: exactly one source, and the settings for filling claims from
/// this source.
@ValidationRule(value = "self == oldSelf", message = DiskImageSpec.UNCHANGED)
@ValidationRule(
    value =
        "[has(self.registry), has(self.http), has(self.upload), has(self.machine)]"
            + ".filter(given, given).size() == 1",
    message = DiskImageSpec.ONE_SOURCE)
@ValidationRule(
    value = "!has(self.upload) || !has(self.retries)",
    message = DiskImageSpec.NO_RETRIES)
@ValidationRule(
    value =
        "!has(self.registry) || !has(self.registry.digest) || !self.registry.image.contains('@')",
    message = DiskImageSpec.ONE_DIGEST)
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DiskImageSpec(
    @JsonProperty
        @JsonPropertyDescription(
            "Copies the disk in a container image or artifact of a registry (registry-copy)")
        @Nullable RegistrySource registry,
    @JsonProperty @JsonPropertyDescription("Copies a file from an HTTPS or HTTP URL (http-copy)")
        @Nullable HttpSource http,
    @JsonProperty @JsonPropertyDescription("Waits for a client that uploads the disk (http-upload)")
        @Nullable UploadSource upload,
    @JsonProperty
        @JsonPropertyDescription(
            "Converts a container image into a disk that boots (image-to-qcow2-layers, flattened)")
        @Nullable MachineSource machine,
    @JsonProperty
        @JsonPropertyDescription(
            "Whether the disk grows to the volume's size. When unset, the disk keeps its size")
        @Nullable Boolean expand,
    @JsonProperty
        @JsonPropertyDescription(
            "How many times filling is tried again after a temporary failure, such as a registry"
                + " that does not answer; 6 when unset. Permanent failures are not tried again")
        @Min(0)
        @Max(100)
        @Nullable Integer retries,
    @JsonProperty
        @JsonPropertyDescription(
            "What happens to the Job and its volume after a failure: OnFailure (the default) keeps"
                + " them until the DiskPopulation is deleted, Never deletes them at once")
        @Nullable Keep keep,
    @JsonProperty @JsonPropertyDescription("Attributes of the pod that fills the volume")
        @Nullable PodTemplate template) {
  public static final String UNCHANGED =
      "spec: expected no change; create another DiskImage instead";
  public static final String ONE_SOURCE =
      "spec: expected exactly one of registry, http, upload and machine";
  public static final String NO_RETRIES =
      "spec.retries: expected no value with spec.upload, whose client tries again itself";
  public static final String ONE_DIGEST =
      "spec.registry.digest: expected no value with an image that has a digest";

  private static final int RETRIES = 6;

  /// Determines whether the operator keeps the objects that it created for a failed population.
  public enum Keep {
    OnFailure,
    Never
  }

  /// Returns the number of sources; only 1 is valid. API servers without CEL accept other numbers.
  public long sources() {
    return Stream.of(registry != null, http != null, upload != null, machine != null)
        .filter(Boolean::booleanValue)
        .count();
  }

  /// Returns the Secrets, ConfigMaps and claims that the source names and that the pod needs to
  /// start, each as kind and name.
  public List<String> needs() {
    Stream<@Nullable String> named =
        Stream.of(
            registry == null ? null : kind("Secret", registry.pullSecret()),
            registry == null ? null : kind("ConfigMap", registry.authority()),
            http == null ? null : kind("Secret", http.headersSecret()),
            http == null ? null : kind("ConfigMap", http.authority()),
            machine == null ? null : kind("Secret", machine.pullSecret()),
            machine == null ? null : kind("ConfigMap", machine.authority()),
            machine == null ? null : kind("PersistentVolumeClaim", machine.store()));
    return named.filter(Objects::nonNull).map(Objects::requireNonNull).toList();
  }

  private static @Nullable String kind(String kind, @Nullable String name) {
    return name == null ? null : kind + " " + name;
  }

  /// Returns the maximum number of retries after retryable failures.
  public int retriesOrDefault() {
    return retries == null ? RETRIES : retries;
  }

  /// Returns whether the operator keeps the objects that it created for a failed population.
  public boolean keepsFailed() {
    return keep != Keep.Never;
  }

  /// Returns the source as a short text, such as `registry quay.io/containerdisks/fedora:41`.
  public String sourceText() {
    if (registry != null) {
      return "registry " + registry.image();
    }
    if (http != null) {
      return "http " + http.url();
    }
    if (machine != null) {
      return "machine " + machine.image();
    }
    return "upload";
  }
}
