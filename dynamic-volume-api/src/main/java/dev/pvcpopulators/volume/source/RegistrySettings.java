package dev.pvcpopulators.volume.source;

import dev.pvcpopulators.volume.settings.Described;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// How registries are reached: what the settings of every service that pulls images have.
public interface RegistrySettings {
  @Described("User name for the registry of the image; better give a file")
  Optional<String> username();

  @Described("Password for the registry of the image; better give a file")
  Optional<String> password();

  @Described("File with the user name, such as a mounted Secret")
  Optional<Path> usernameFile();

  @Described("File with the password, such as a mounted Secret")
  Optional<Path> passwordFile();

  @Described(
      "File with credentials for any registry, in the form of Docker's config.json"
          + " (.dockerconfigjson of a Secret). Besides, REGISTRY_AUTH_FILE, DOCKER_CONFIG and"
          + " ~/.docker/config.json are looked at, and the credential helpers that they name")
  Optional<Path> authFile();

  @Described("File with certificates (PEM) of authorities to trust besides the usual ones")
  Optional<Path> caFile();

  @Described("Registries, HOST[:PORT] each, that are reached by plain HTTP; no other is")
  Optional<List<String>> insecureRegistries();

  @Described(
      "Mirrors that are asked before a registry: REGISTRY=MIRROR[,MIRROR], several separated by"
          + " blanks")
  Optional<String> mirrors();

  @Described("How often a request is tried again after failures without any progress between them")
  @WithDefault("5")
  int retries();

  @Described("How long a connection to a registry may take")
  @WithDefault("10s")
  Duration connectTimeout();

  @Described("How long a registry may send nothing before the connection counts as lost")
  @WithDefault("60s")
  Duration idleTimeout();
}
