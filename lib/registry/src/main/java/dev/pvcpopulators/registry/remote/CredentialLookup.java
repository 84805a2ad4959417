package dev.pvcpopulators.registry.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.google.cloud.tools.jib.api.Credential;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.LogEvent;
import com.google.cloud.tools.jib.frontend.CredentialRetrieverFactory;
import com.google.cloud.tools.jib.registry.RegistryAliasGroup;
import com.google.cloud.tools.jib.registry.credentials.CredentialRetrievalException;
import com.google.cloud.tools.jib.registry.credentials.DockerConfigCredentialRetriever;
import dev.pvcpopulators.registry.ManifestJson;
import dev.pvcpopulators.registry.RegistryLimits;
import dev.pvcpopulators.registry.SourceDeniedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Finds the credentials for a host.
final class CredentialLookup {
  private final Credentials credentials;

  /// @throws IllegalArgumentException where a file that was given cannot be read
  CredentialLookup(Credentials credentials) {
    this.credentials = credentials;
    for (Path file : credentials.dockerConfigs()) {
      if (!Files.isReadable(file)) {
        throw new IllegalArgumentException("Cannot read the registry credentials in " + file);
      }
    }
  }

  /// @param endpoint the registry or mirror
  /// @param named whether it is the registry that the reference names
  /// @throws SourceDeniedException where a file is not in Docker's format
  Optional<Credential> find(Endpoint endpoint, boolean named) throws SourceDeniedException {
    if (named && credentials.username().isPresent() && credentials.password().isPresent()) {
      return Optional.of(
          Credential.from(credentials.username().get(), credentials.password().get()));
    }
    for (Path file : files()) {
      for (String key : keys(file, endpoint)) {
        Optional<Credential> found = inFile(file, key);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return wellKnown(endpoint.authority())
        ? fromWellKnownHelpers(endpoint.authority())
        : Optional.empty();
  }

  /// What is looked for in a file, the most particular first: podman, skopeo and Kubernetes have
  /// entries also for a repository or for what is above it (`quay.io/organisation`).
  private static List<String> keys(Path file, Endpoint endpoint) {
    JsonNode entries = entries(file);
    List<String> keys = new ArrayList<>();
    String path = endpoint.name();
    for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
      for (String host : RegistryAliasGroup.getAliasesGroup(endpoint.authority())) {
        String key = host + "/" + path.substring(0, end);
        // Jib would be content with an entry that only begins like this.
        if (entries.has(key)) {
          keys.add(key);
        }
      }
    }
    keys.add(endpoint.authority());
    return keys;
  }

  private static JsonNode entries(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(RegistryLimits.MANIFEST_LENGTH + 1);
      return ManifestJson.read(bytes, file.toString()).path("auths");
    } catch (IOException _) {
      // Missing, or not what it should be: Jib looks next, and says so.
      return MissingNode.getInstance();
    }
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

  private static Optional<Credential> inFile(Path file, String key) throws SourceDeniedException {
    try {
      return DockerConfigCredentialRetriever.create(key, file).retrieve(CredentialLookup::unheard);
    } catch (IOException | RuntimeException e) {
      // Jib reads a file that is no object, or whose "auths" are null, into a NullPointerException.
      // The exception would quote the file.
      throw new SourceDeniedException(
          "Cannot read the registry credentials in "
              + file
              + ": expected Docker's config.json, found what "
              + e.getClass().getSimpleName()
              + " refuses");
    }
  }

  /// Jib goes by how the name ends: `not-gcr.io`, which anybody can register, would be shown
  /// Google's token.
  static boolean wellKnown(String authority) {
    String host = authority.toLowerCase(Locale.ROOT);
    return host.equals("gcr.io") || host.endsWith(".gcr.io") || host.endsWith(".amazonaws.com");
  }

  private static Optional<Credential> fromWellKnownHelpers(String authority)
      throws SourceDeniedException {
    try {
      return CredentialRetrieverFactory.forImage(
              ImageReference.of(authority, "any", null), CredentialLookup::unheard)
          .wellKnownCredentialHelpers()
          .retrieve();
    } catch (CredentialRetrievalException e) {
      throw new SourceDeniedException("The credential helper for " + authority + " failed", e);
    }
  }

  /// Helpers that fail are passed over like helpers that know nothing, as docker does. Their words
  /// are not kept because they may hold what they were asked for.
  private static void unheard(LogEvent event) {}
}
