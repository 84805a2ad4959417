package dev.pvcpopulators.registry.remote;

import com.google.cloud.tools.jib.api.Credential;
import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.LogEvent;
import com.google.cloud.tools.jib.frontend.CredentialRetrieverFactory;
import com.google.cloud.tools.jib.registry.credentials.CredentialRetrievalException;
import com.google.cloud.tools.jib.registry.credentials.DockerConfigCredentialRetriever;
import dev.pvcpopulators.registry.SourceDeniedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  /// @param authority `host[:port]` of the registry or mirror
  /// @param named whether it is the registry that the reference names
  /// @throws SourceDeniedException where a file is not in Docker's format
  Optional<Credential> find(String authority, boolean named) throws SourceDeniedException {
    if (named && credentials.username().isPresent() && credentials.password().isPresent()) {
      return Optional.of(
          Credential.from(credentials.username().get(), credentials.password().get()));
    }
    for (Path file : files()) {
      Optional<Credential> found = inFile(file, authority);
      if (found.isPresent()) {
        return found;
      }
    }
    return fromWellKnownHelpers(authority);
  }

  private List<Path> files() {
    List<Path> files = new ArrayList<>(credentials.dockerConfigs());
    Optional.ofNullable(credentials.environment().get("DOCKER_CONFIG"))
        .ifPresent(directory -> files.add(Path.of(directory, "config.json")));
    Optional.ofNullable(credentials.environment().get("HOME"))
        .ifPresent(home -> files.add(Path.of(home, ".docker", "config.json")));
    return files;
  }

  private static Optional<Credential> inFile(Path file, String authority)
      throws SourceDeniedException {
    try {
      return DockerConfigCredentialRetriever.create(authority, file)
          .retrieve(CredentialLookup::unheard);
    } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
      // The exception would quote the file.
      throw new SourceDeniedException(
          "Cannot read the registry credentials in "
              + file
              + ": expected Docker's config.json, found what "
              + e.getClass().getSimpleName()
              + " refuses");
    }
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
