package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Described;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The registry settings of every service that pulls images.
public interface RegistrySettings extends ConnectionSettings {
  @Described(
      value = "User name for the registry of the image; better give a file",
      example = "robot",
      secret = true)
  Optional<String> username();

  @Described(
      value = "Password for the registry of the image; better give a file",
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
          "File with credentials for any registry, in the form of Docker's config.json"
              + " (.dockerconfigjson of a Secret). Besides, REGISTRY_AUTH_FILE, DOCKER_CONFIG and"
              + " ~/.docker/config.json are looked at, and the credential helpers that they name",
      example = "/etc/registry/.dockerconfigjson",
      secret = true)
  Optional<Path> authFile();

  @Described(
      value = "Registries, HOST[:PORT] each, that are reached by plain HTTP; no other is",
      example = "registry.local:5000")
  Optional<List<String>> insecureRegistries();

  @Described(
      value =
          "Registries that may be asked for images, HOST[:PORT][/PREFIX] each; without it any may"
              + " be. It bounds what clients name as well as the settings, but neither mirrors nor"
              + " the storage that a registry redirects to",
      example = "registry.example/disks")
  Optional<List<String>> allowedRegistries();

  @Described(
      value =
          "Mirrors that are asked before a registry: REGISTRY=MIRROR[,MIRROR], several separated by"
              + " blanks",
      example = "docker.io=mirror.example:5000")
  Optional<String> mirrors();
}
