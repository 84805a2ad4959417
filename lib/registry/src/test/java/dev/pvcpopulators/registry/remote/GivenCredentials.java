package dev.pvcpopulators.registry.remote;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Creates credentials that come from only one source.
final class GivenCredentials {
  private GivenCredentials() {}

  static Credentials password(String user, String secret) {
    return new Credentials(Optional.of(user), Optional.of(secret), List.of(), Map.of());
  }

  /// Returns the credentials in files of Docker's format.
  static Credentials dockerConfigs(List<Path> files) {
    return new Credentials(Optional.empty(), Optional.empty(), files, Map.of());
  }

  /// Returns the credentials that the environment of this process names.
  static Credentials ofEnvironment() {
    return new Credentials(Optional.empty(), Optional.empty(), List.of(), System.getenv());
  }
}
