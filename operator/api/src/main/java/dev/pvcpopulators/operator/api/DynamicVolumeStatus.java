package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The container's answer, and the state of the dynamic volume.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DynamicVolumeStatus(
    @JsonProperty
        @JsonPropertyDescription(
            "Pending, Starting, Creating, Publishing, Ready, Failed, and Deleting")
        @Nullable Phase phase,
    @JsonProperty @JsonPropertyDescription("The reason of the phase, as text")
        @Nullable String message,
    @JsonProperty
        @JsonPropertyDescription("The answer to PUT /volume, byte for byte: YAML with pvc or iscsi")
        @Nullable String source,
    @JsonProperty
        @JsonPropertyDescription(
            "The claim that holds the volume: the one in the answer, or the published one")
        @Nullable String claimName,
    @JsonProperty @JsonPropertyDescription("The PersistentVolume that was published")
        @Nullable String persistentVolumeName,
    @JsonProperty
        @JsonPropertyDescription("The container's revision of the volume, which a deletion names")
        @Nullable String revision,
    @JsonProperty @JsonPropertyDescription("Bytes of the disk as a guest sees it")
        @Nullable Long virtualSize,
    @JsonProperty
        @JsonPropertyDescription("Percent of the source that has arrived, as text, or bytes")
        @Nullable String progress,
    @JsonProperty
        @JsonPropertyDescription("The certificate that the container must use for HTTPS, PEM")
        @Nullable String certificate,
    @JsonProperty
        @JsonPropertyDescription(
            "Accepted, Started, Created, Published and Ready, for kubectl wait")
        @Nullable List<StatusCondition> conditions) {
  /// The phases in their order. After `Failed`, another phase can follow; after `Deleting`, none
  /// follows.
  public enum Phase {
    Pending,
    Starting,
    Creating,
    Publishing,
    Ready,
    Failed,
    Deleting
  }

  /// Returns a status without values.
  public static DynamicVolumeStatus empty() {
    return new DynamicVolumeStatus(null, null, null, null, null, null, null, null, null, null);
  }
}
