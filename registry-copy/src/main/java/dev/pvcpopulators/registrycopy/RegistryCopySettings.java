package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.volume.settings.Described;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What can be set for this service alone; the settings that all services share begin with
/// `populator`.
@ConfigMapping(prefix = "registry-copy")
public interface RegistryCopySettings {
  @Described(
      "The image: [docker://]REGISTRY/REPOSITORY[:TAG|@DIGEST], oci:DIRECTORY[:REFERENCE],"
          + " oci-archive:FILE[:REFERENCE] or docker-archive:FILE[:REFERENCE]. A service may be told"
          + " by each PUT /volume instead")
  Optional<String> image();

  @Described(
      "OS/ARCHITECTURE[/VARIANT] to choose from an image for several; when unset, Linux on this"
          + " machine's architecture")
  Optional<String> platform();

  @Described(
      "The disk in the image: a path, or a pattern with *, ? and [] in its components that matches"
          + " one file")
  @WithDefault("/disk/*")
  String path();

  @Described(
      "Format of the disk: 'auto' goes by magic numbers; raw, qcow2, vmdk, vdi, vhd and vhdx take it"
          + " as that or refuse it")
  @WithDefault("auto")
  String format();

  @Described("Of artifacts with a disk for each of several hypervisors, the one to take")
  @WithDefault("qemu")
  String diskType();

  @Described(
      "Copies again where the volume holds the same image's disk already; needs"
          + " POPULATOR_OVERWRITE=true, since that disk is replaced")
  @WithDefault("false")
  boolean force();

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
