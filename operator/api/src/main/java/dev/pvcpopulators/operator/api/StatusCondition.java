package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/// A condition as defined by the Kubernetes API conventions.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StatusCondition(
    @JsonProperty @JsonPropertyDescription("Name of the condition, such as Ready") @Required
        String type,
    @JsonProperty @JsonPropertyDescription("True, False or Unknown") @Required String status,
    @JsonProperty @JsonPropertyDescription("Reason of the status, as one word") @Required
        String reason,
    @JsonProperty @JsonPropertyDescription("Reason of the status, as text")
        @Nullable String message,
    @JsonProperty @JsonPropertyDescription("When the status changed, RFC 3339")
        @Nullable String lastTransitionTime) {}
