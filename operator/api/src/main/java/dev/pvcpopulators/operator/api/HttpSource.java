package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/// A disk image at a URL.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record HttpSource(
    @JsonProperty
        @JsonPropertyDescription("The URL of the disk image, https://… or http://…")
        @Required
        @Size(min = 8, max = 2048)
        @Pattern("^https?://[^ ]+$")
        String url,
    @JsonProperty
        @JsonPropertyDescription("SHA-256 of the file: 64 hexadecimal digits")
        @Pattern("^[0-9a-f]{64}$")
        @Nullable String sha256,
    @JsonProperty
        @JsonPropertyDescription(
            "Name of a ConfigMap in the claim's namespace whose key ca.crt has certificates of"
                + " authorities to trust besides the usual ones")
        @Size(min = 1, max = 253)
        @Nullable String authority,
    @JsonProperty
        @JsonPropertyDescription(
            "Name of a Secret in the claim's namespace whose key headers has header fields to send,"
                + " one NAME: VALUE per line")
        @Size(min = 1, max = 253)
        @Nullable String headersSecret) {}
