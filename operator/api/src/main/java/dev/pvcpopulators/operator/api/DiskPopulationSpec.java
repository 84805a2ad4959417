package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;

/// The claim that the operator fills, and the source of the claim's content. The source is a copy
/// of the DiskImage's specification, so that a change of the DiskImage does not affect a running
/// population.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DiskPopulationSpec(
    @JsonProperty @JsonPropertyDescription("UID of the claim that is filled") @Required
        String claimUID,
    @JsonProperty @JsonPropertyDescription("Name of the DiskImage that the claim names") @Required
        String imageName,
    @JsonProperty
        @JsonPropertyDescription("A copy of the DiskImage's spec from the beginning of filling")
        @Required
        DiskImageSpec image) {}
