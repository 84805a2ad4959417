package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/// A disk image inside a container image or artifact of a registry.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RegistrySource(
    @JsonProperty
        @JsonPropertyDescription(
            "The image, REGISTRY/REPOSITORY[:TAG|@DIGEST], such as"
                + " quay.io/containerdisks/fedora:41")
        @Required
        @Size(min = 1, max = 512)
        @Pattern("^[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]*$")
        String image,
    @JsonProperty
        @JsonPropertyDescription(
            "OS/ARCHITECTURE[/VARIANT] to choose from an image for several platforms; when unset,"
                + " Linux on the node's architecture")
        @Pattern("^[a-z0-9]+/[a-z0-9_]+(/[a-z0-9.]+)?$")
        @Nullable String platform,
    @JsonProperty
        @JsonPropertyDescription("The disk in the image: a path or a pattern; /disk/* when unset")
        @Size(min = 1, max = 1024)
        @Nullable String path,
    @JsonProperty
        @JsonPropertyDescription(
            "Digest that the image's manifest or index must have: sha256: and 64 hexadecimal"
                + " digits")
        @Pattern("^sha256:[0-9a-f]{64}$")
        @Nullable String digest,
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
