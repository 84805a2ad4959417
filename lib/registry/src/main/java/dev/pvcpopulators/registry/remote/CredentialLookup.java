package dev.pvcpopulators.registry.remote;

import com.google.cloud.tools.jib.api.Credential;
import dev.pvcpopulators.http.SourceDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Finds the credentials for a repository of a registry or mirror.
record CredentialLookup(Credentials credentials) {
  /// Matches `ACCOUNT.dkr.ecr.REGION.amazonaws.com`. The pattern also matches `ecr-fips` instead of
  /// `ecr`, and a further `.cn` at the end.
  private static final Pattern ELASTIC_REGISTRY =
      Pattern.compile("[0-9]{12}\\.dkr\\.ecr(-fips)?\\.[a-z0-9-]{1,32}\\.amazonaws\\.com(\\.cn)?");

  /// Creates a lookup.
  ///
  /// @throws IllegalArgumentException if a file in [Credentials#dockerConfigs] cannot be read
  CredentialLookup {
    for (Path file : credentials.dockerConfigs()) {
      if (!Files.isReadable(file)) {
        throw new IllegalArgumentException("Cannot read the registry credentials in " + file);
      }
    }
  }

  /// Finds the credentials for an endpoint.
  ///
  /// @param endpoint the registry or mirror
  /// @param named whether the endpoint's host and port are the host and port of the registry that
  ///   the image's reference names
  /// @throws SourceDeniedException if a file with credentials cannot be read, or is not in Docker's
  ///   format
  Optional<Credential> find(Endpoint endpoint, boolean named) throws SourceDeniedException {
    if (named && credentials.username().isPresent() && credentials.password().isPresent()) {
      return Optional.of(
          Credential.from(credentials.username().get(), credentials.password().get()));
    }
    for (Path file : files()) {
      Optional<DockerConfig> config = DockerConfig.read(file);
      Optional<Credential> found =
          config.isPresent() ? config.get().find(endpoint) : Optional.empty();
      if (found.isPresent()) {
        return found;
      }
    }
    return wellKnown(endpoint.authority())
        .flatMap(CredentialProgram::named)
        .flatMap(helper -> helper.credentials(endpoint.authority()));
  }

  private List<Path> files() {
    List<Path> files = new ArrayList<>(credentials.dockerConfigs());
    Optional.ofNullable(credentials.environment().get("REGISTRY_AUTH_FILE"))
        .ifPresent(file -> files.add(Path.of(file)));
    Optional.ofNullable(credentials.environment().get("DOCKER_CONFIG"))
        .ifPresent(directory -> files.add(Path.of(directory, "config.json")));
    Optional.ofNullable(credentials.environment().get("HOME"))
        .ifPresent(home -> files.add(Path.of(home, ".docker", "config.json")));
    return files;
  }

  /// Returns the name of the credential helper that is called for a host although no file
  /// configures a helper. Returns a name only if the host is Google's `gcr.io`, a subdomain of
  /// `gcr.io`, or a registry of Amazon's ECR. A check for only the ending `.amazonaws.com` would be
  /// unsafe: an attacker could own a host such as `….execute-api.eu-west-1.amazonaws.com`, and this
  /// host would receive the credentials.
  static Optional<String> wellKnown(String authority) {
    String host = authority.toLowerCase(Locale.ROOT);
    if (host.equals("gcr.io") || host.endsWith(".gcr.io")) {
      return Optional.of("gcr");
    }
    return ELASTIC_REGISTRY.matcher(host).matches() ? Optional.of("ecr-login") : Optional.empty();
  }
}
