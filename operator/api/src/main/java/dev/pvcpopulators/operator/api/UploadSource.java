package dev.pvcpopulators.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A disk image that a client uploads.
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record UploadSource(
    @JsonProperty
        @JsonPropertyDescription("SHA-256 that the uploaded file must have: 64 hexadecimal digits")
        @Pattern("^[0-9a-f]{64}$")
        @Nullable String sha256,
    @JsonProperty
        @JsonPropertyDescription(
            "How long the upload may take, from the start of the Job: a number with s, m or h; 24h"
                + " when unset")
        @Pattern("^[1-9][0-9]{0,5}[smh]$")
        @Nullable String expires) {
  private static final Duration DEFAULT = Duration.ofHours(24);

  /// Returns the time limit of the upload, from the start of the Job.
  public Duration lifetime() {
    if (expires == null) {
      return DEFAULT;
    }
    long count = Long.parseLong(expires, 0, expires.length() - 1, 10);
    return switch (expires.charAt(expires.length() - 1)) {
      case 's' -> Duration.ofSeconds(count);
      case 'm' -> Duration.ofMinutes(count);
      case 'h' -> Duration.ofHours(count);
      default -> throw new IllegalArgumentException("spec.upload.expires: " + expires);
    };
  }
}
