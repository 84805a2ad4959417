package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The status of a DiskImage: whether the DiskImage is valid.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DiskImageStatus(
    @JsonProperty @JsonPropertyDescription("Generation of the spec that the conditions are about")
        @Nullable Long observedGeneration,
    @JsonProperty
        @JsonPropertyDescription("Accepted; if it is False, its message says what is wrong")
        @Nullable List<StatusCondition> conditions) {}
