package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The progress of filling, and its result.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DiskPopulationStatus(
    @JsonProperty
        @JsonPropertyDescription(
            "Pending, Provisioning, Populating, Binding, and at the end Ready or Failed")
        @Nullable Phase phase,
    @JsonProperty @JsonPropertyDescription("The reason of the phase, as text")
        @Nullable String message,
    @JsonProperty @JsonPropertyDescription("The source in a few words") @Nullable String source,
    @JsonProperty
        @JsonPropertyDescription(
            "Percent of the source that has arrived, as text; ? if the pod cannot be asked")
        @Nullable String progress,
    @JsonProperty @JsonPropertyDescription("Percent of the source that has arrived, 0 to 100")
        @Nullable Integer percent,
    @JsonProperty @JsonPropertyDescription("Bytes that arrived from the source")
        @Nullable Long bytesIn,
    @JsonProperty @JsonPropertyDescription("Bytes that were written to the volume")
        @Nullable Long bytesOut,
    @JsonProperty @JsonPropertyDescription("Bytes of the source, if known")
        @Nullable Long totalBytes,
    @JsonProperty @JsonPropertyDescription("Bytes per second from the source, as text")
        @Nullable String rate,
    @JsonProperty @JsonPropertyDescription("Time until the rest has arrived, at the present rate")
        @Nullable String remaining,
    @JsonProperty @JsonPropertyDescription("Digest of the source, if the service knows it")
        @Nullable String sourceDigest,
    @JsonProperty @JsonPropertyDescription("Bytes of the disk as a guest sees it")
        @Nullable Long virtualSize,
    @JsonProperty @JsonPropertyDescription("Pods that were started to fill the volume")
        @Nullable Integer attempts,
    @JsonProperty @JsonPropertyDescription("Node on which the volume is filled")
        @Nullable String node,
    @JsonProperty @JsonPropertyDescription("The endpoint to which a client uploads the disk")
        @Nullable Upload upload,
    @JsonProperty @JsonPropertyDescription("Why the last attempt failed") @Nullable Failure failure,
    @JsonProperty
        @JsonPropertyDescription("Accepted, Provisioned, Populated and Ready, for kubectl wait")
        @Nullable List<StatusCondition> conditions) {
  /// The phases in their order; the last two are final.
  public enum Phase {
    Pending,
    Provisioning,
    Populating,
    Binding,
    Ready,
    Failed;

    /// Returns whether the phase is final.
    public boolean terminal() {
      return this == Ready || this == Failed;
    }
  }

  /// The endpoint of an upload.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Upload(
      @JsonProperty @JsonPropertyDescription("URL of the upload, inside the cluster")
          @Nullable String url,
      @JsonProperty
          @JsonPropertyDescription(
              "Secret in the same namespace with the keys url, token and ca.crt")
          @Nullable String secret,
      @JsonProperty @JsonPropertyDescription("Certificate of the server, PEM: the Secret's ca.crt")
          @Nullable String certificate) {}

  /// The cause of a failed attempt, in the words of the service.
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Failure(
      @JsonProperty
          @JsonPropertyDescription("Type of the failure, such as source-not-found or volume-full")
          @Nullable String type,
      @JsonProperty @JsonPropertyDescription("What failed, in the service's words")
          @Nullable String detail,
      @JsonProperty @JsonPropertyDescription("Exit code of the container")
          @Nullable Integer exitCode,
      @JsonProperty @JsonPropertyDescription("Whether a retry without a change may succeed")
          @Nullable Boolean retryable) {}
}
