package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The settings that a user may choose for the pod that fills a volume, such as placement and
/// resources. The user cannot choose the pod's image, environment or volumes.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PodTemplate(
    @JsonProperty @JsonPropertyDescription("Labels besides the operator's own")
        @Nullable Map<String, String> labels,
    @JsonProperty @JsonPropertyDescription("Annotations besides the operator's own")
        @Nullable Map<String, String> annotations,
    @JsonProperty @JsonPropertyDescription("Labels that the pod's node must have")
        @Nullable Map<String, String> nodeSelector,
    @JsonProperty
        @JsonPropertyDescription(
            "Affinity of the pod. The operator adds the node that the scheduler chose for the"
                + " claim")
        @Nullable Affinity affinity,
    @JsonProperty @JsonPropertyDescription("Taints of nodes that the pod tolerates")
        @Nullable List<Toleration> tolerations,
    @JsonProperty @JsonPropertyDescription("Priority class of the pod") @Size(min = 1, max = 253)
        @Nullable String priorityClassName,
    @JsonProperty
        @JsonPropertyDescription(
            "ServiceAccount of the pod, in the claim's namespace. Its token is not mounted")
        @Size(min = 1, max = 253)
        @Nullable String serviceAccountName,
    @JsonProperty @JsonPropertyDescription("Secrets for pulling the image of the service")
        @Nullable List<LocalObjectReference> imagePullSecrets,
    @JsonProperty
        @JsonPropertyDescription("Resources of the container, instead of the default ones")
        @Nullable ResourceRequirements resources,
    @JsonProperty @JsonPropertyDescription("Runtime class of the pod") @Size(min = 1, max = 253)
        @Nullable String runtimeClassName) {}
