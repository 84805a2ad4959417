package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/// A container image that becomes the disk of a virtual machine.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MachineSource(
    @JsonProperty
        @JsonPropertyDescription(
            "The container image, REGISTRY/REPOSITORY[:TAG|@DIGEST], such as"
                + " docker.io/library/nginx:1.29")
        @Required
        @Size(min = 1, max = 512)
        @Pattern("^[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]*$")
        String image,
    @JsonProperty
        @JsonPropertyDescription(
            "Name of a claim in the same namespace that keeps the layers for the next machine;"
                + " when unset, the layers are in an emptyDir and are deleted with the pod")
        @Size(min = 1, max = 253)
        @Nullable String store,
    @JsonProperty
        @JsonPropertyDescription(
            "Size of the disk: a multiple of 1M, such as 4G; when unset, nine tenths of the claim")
        @Pattern("^[1-9][0-9]{0,6}[MGT]$")
        @Nullable String size,
    @JsonProperty
        @JsonPropertyDescription(
            "Name of a Secret of type kubernetes.io/dockerconfigjson in the claim's namespace")
        @Size(min = 1, max = 253)
        @Nullable String pullSecret,
    @JsonProperty
        @JsonPropertyDescription(
            "Name of a ConfigMap in the claim's namespace whose key ca.crt has certificates of"
                + " authorities to trust besides the usual ones")
        @Size(min = 1, max = 253)
        @Nullable String authority) {}
