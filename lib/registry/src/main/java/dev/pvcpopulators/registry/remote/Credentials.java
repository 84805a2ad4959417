package dev.pvcpopulators.registry.remote;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The sources of registry credentials, in this order: user and password; the files of
/// [#dockerConfigs]; `$REGISTRY_AUTH_FILE` (as in podman and skopeo); `$DOCKER_CONFIG/config.json`;
/// `$HOME/.docker/config.json`; the credential helper `gcr` for Google's `gcr.io`, or `ecr-login`
/// for Amazon's ECR. The first source that has credentials for a repository is used.
///
/// User and password are used only for the registry that the image's reference names, and for a
/// mirror with the same `host[:port]`. The files are in Docker's format, with `auths`,
/// `credHelpers` and `credsStore`.
///
/// @param username the user name; empty if there is no password. The user name `<token>` means that
///   the password is an OAuth2 refresh token
/// @param dockerConfigs files such as a Secret's `.dockerconfigjson`; must be readable
/// @param environment the environment variables. `REGISTRY_AUTH_FILE`, `DOCKER_CONFIG` and `HOME`
///   lead to files with credentials. `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` and the same names in
///   lower case configure proxies. The address of a proxy may contain a password
public record Credentials(
    Optional<String> username,
    Optional<String> password,
    List<Path> dockerConfigs,
    Map<String, String> environment) {
  /// Creates the settings.
  ///
  /// @throws IllegalArgumentException if there is a user without a password, or a password without
  ///   a user
  public Credentials {
    if (username.isPresent() != password.isPresent()) {
      throw new IllegalArgumentException(
          "Expected user and password for the registry, found only one of them");
    }
    dockerConfigs = List.copyOf(dockerConfigs);
    environment = Map.copyOf(environment);
  }

  /// Returns settings without user, files and environment variables. With these settings, only the
  /// credential helpers for `gcr.io` and ECR can give credentials.
  public static Credentials none() {
    return new Credentials(Optional.empty(), Optional.empty(), List.of(), Map.of());
  }

  /// Returns text that says whether there is a password, and lists the paths of [#dockerConfigs].
  /// The text contains no credentials.
  @Override
  public String toString() {
    return "Credentials[password="
        + (password.isPresent() ? "given" : "none")
        + ", dockerConfigs="
        + dockerConfigs
        + "]";
  }
}
