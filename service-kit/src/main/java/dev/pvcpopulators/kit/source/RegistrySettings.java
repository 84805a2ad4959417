package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Described;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The registry settings of every service that pulls images.
public interface RegistrySettings extends ConnectionSettings {
  @Described(
      value = "User name for the registry of the image; a file is safer",
      example = "robot",
      secret = true)
  Optional<String> username();

  @Described(
      value = "Password for the registry of the image; a file is safer",
      example = "what the registry gave you",
      secret = true)
  Optional<String> password();

  @Described(
      value = "File with the user name, such as a mounted Secret",
      example = "/etc/registry/username",
      secret = true)
  Optional<Path> usernameFile();

  @Described(
      value = "File with the password, such as a mounted Secret",
      example = "/etc/registry/password",
      secret = true)
  Optional<Path> passwordFile();

  @Described(
      value =
          "File with credentials for several registries, in the format of Docker's"
              + " config.json (.dockerconfigjson of a Secret). REGISTRY_AUTH_FILE,"
              + " DOCKER_CONFIG, ~/.docker/config.json and their credential helpers are"
              + " used, too",
      example = "/etc/registry/.dockerconfigjson",
      secret = true)
  Optional<Path> authFile();

  @Described(
      value = "Registries, HOST[:PORT] each, that may be reached by plain HTTP",
      example = "registry.local:5000")
  Optional<List<String>> insecureRegistries();

  @Described(
      value =
          "Registries, HOST[:PORT][/PREFIX] each, that settings and clients may name;"
              + " mirrors and redirects are not restricted. Unset: all",
      example = "registry.example/disks")
  Optional<List<String>> allowedRegistries();

  @Described(
      value =
          "Mirrors to try before a registry: REGISTRY=MIRROR[,MIRROR], several"
              + " separated by blanks",
      example = "docker.io=mirror.example:5000")
  Optional<String> mirrors();
}
