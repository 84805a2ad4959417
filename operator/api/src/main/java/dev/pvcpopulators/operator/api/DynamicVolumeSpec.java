package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/// The specification of a dynamic volume: the container that creates the volume, the request to
/// this container, and the claim for the volume that the container's answer describes.
@ValidationRule(value = "self == oldSelf", message = DynamicVolumeSpec.UNCHANGED)
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DynamicVolumeSpec(
    @JsonProperty
        @JsonPropertyDescription(
            "The container that answers https://POD_IP/volume: image and any other attribute of a"
                + " Kubernetes container")
        @Required
        @PreserveUnknownFields
        JsonNode container,
    @JsonProperty
        @JsonPropertyDescription(
            "The other fields of the pod, in the form of a Deployment's pod template: metadata"
                + " with labels and annotations, and spec with volumes, securityContext,"
                + " serviceAccountName and other fields")
        @PreserveUnknownFields
        @Nullable JsonNode pod,
    @JsonProperty
        @JsonPropertyDescription("The body of PUT /volume; no body when unset")
        @PreserveUnknownFields
        @Nullable JsonNode body,
    @JsonProperty
        @JsonPropertyDescription("The port on which the container answers by HTTPS; 443 when unset")
        @Min(1)
        @Max(65535)
        @Nullable Integer port,
    @JsonProperty
        @JsonPropertyDescription(
            "A Service in front of the pod, so that a network disk keeps its address when the pod"
                + " is replaced")
        @Nullable VolumeService service,
    @JsonProperty
        @JsonPropertyDescription(
            "Publishes an iscsi answer as a claim; when unset, only the status has the answer")
        @Nullable Publish publish) {
  public static final String UNCHANGED =
      "spec: expected no change; create another DynamicVolume instead";

  /// The default port of `https://POD_IP/volume`.
  private static final int HTTPS = 443;

  /// A Service in front of the pod. The API server allocates the cluster IP of the Service.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record VolumeService(
      @JsonProperty
          @JsonPropertyDescription("The port of the network disk, on the Service and in the pod")
          @Required
          @Min(1)
          @Max(65535)
          Integer port,
      @JsonProperty
          @JsonPropertyDescription(
              "The environment variable of the container for the Service's address, such as"
                  + " REGISTRY_STREAM_ISCSI_HOST")
          @Size(min = 1, max = 253)
          @Pattern("^[A-Za-z_][A-Za-z0-9_]*$")
          @Nullable String addressVariable) {}

  /// The claim to create for the volume that the container's answer describes.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Publish(
      @JsonProperty
          @JsonPropertyDescription(
              "The claim to create for an iscsi answer, with volumeMode Block; not for a pvc"
                  + " answer, which names an existing claim")
          @Required
          @Size(min = 1, max = 253)
          @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
          String claimName,
      @JsonProperty @JsonPropertyDescription("ReadOnlyMany instead of ReadWriteOnce")
          @Nullable Boolean readOnly,
      @JsonProperty
          @JsonPropertyDescription(
              "The Secret with which nodes log in: type kubernetes.io/iscsi-chap, with the keys"
                  + " node.session.auth.username and .password, and those of discovery.sendtargets")
          @Size(min = 1, max = 253)
          @Nullable String chapSecret) {
    /// Returns whether the claim is read-only.
    public boolean readsOnly() {
      return Boolean.TRUE.equals(readOnly);
    }
  }

  /// Returns the port on which the container answers.
  public int portOrDefault() {
    return port == null ? HTTPS : port;
  }
}
