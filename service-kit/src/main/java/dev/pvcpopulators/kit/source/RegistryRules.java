package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.PathChecks;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.disk.DiskPath;
import dev.pvcpopulators.registry.remote.RegistryOptions;
import dev.pvcpopulators.volume.VolumeException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The rules for settings that choose images and give access to registries.
public final class RegistryRules {
  private static final String ALLOWED = "ALLOWED_REGISTRIES";
  private static final String IMAGE_FORM =
      "[docker://]REGISTRY/REPOSITORY[:TAG|@DIGEST], oci:DIRECTORY[:REFERENCE],"
          + " oci-archive:FILE[:REFERENCE] or docker-archive:FILE[:REFERENCE]";

  private RegistryRules() {}

  /// Checks the access to registries.
  ///
  /// @param prefix of the variables: `REGISTRY_COPY_`
  public static void access(RegistrySettings settings, String prefix, Mistakes found) {
    ConnectionRules.pair(
        prefix,
        settings.username().isPresent() || settings.usernameFile().isPresent(),
        settings.password().isPresent() || settings.passwordFile().isPresent(),
        found);
    ConnectionRules.secret(prefix + "USERNAME_FILE", settings.usernameFile(), found);
    ConnectionRules.secret(prefix + "PASSWORD_FILE", settings.passwordFile(), found);
    found.place(
        prefix + "AUTH_FILE",
        settings.authFile(),
        PathChecks.text(
            ConnectionRules.MAX_SECRET, text -> text.startsWith("{"), "no JSON object in it"),
        "a file in the form of Docker's config.json");
    found.parse(
        prefix + "INSECURE_REGISTRIES",
        settings.insecureRegistries(),
        "HOST[:PORT], several separated by commas",
        places -> RegistryOptions.defaults().withInsecureRegistries(Set.copyOf(places)));
    found.parse(
        prefix + ALLOWED,
        settings.allowedRegistries(),
        "HOST[:PORT][/PREFIX], several separated by commas",
        places -> RegistryOptions.defaults().withAllowedRegistries(places));
    found.parse(
        prefix + "MIRRORS",
        settings.mirrors(),
        "REGISTRY=MIRROR[,MIRROR], several separated by blanks",
        RegistryRules::mirrors);
    ConnectionRules.check(settings, prefix, found);
  }

  private static RegistryOptions mirrors(String text) {
    try {
      return RegistryOptions.defaults().withMirrors(RegistryAccess.mirrors("", text));
    } catch (VolumeException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /// Checks an image.
  ///
  /// @param settings decide whether its registry may be used
  /// @param prefix of their variables: `REGISTRY_COPY_`
  /// @param needed whether an image is required
  /// @return the image if it is valid
  public static Optional<SourceReference> image(
      RegistrySettings settings,
      String prefix,
      String variable,
      Optional<String> image,
      boolean needed,
      Mistakes found) {
    if (image.isEmpty() && needed) {
      found.missing(variable, "the image to take");
    }
    Optional<SourceReference> named =
        found.parse(variable, image, IMAGE_FORM, SourceReference::parse);
    if (named.isPresent() && !allowed(settings, named.get())) {
      found.contradicts(variable, "an image of " + prefix + ALLOWED);
    }
    return named;
  }

  private static boolean allowed(RegistrySettings settings, SourceReference image) {
    if (!(image instanceof SourceReference.Remote remote)) {
      return true;
    }
    try {
      return RegistryOptions.defaults()
          .withInsecureRegistries(Set.copyOf(settings.insecureRegistries().orElse(List.of())))
          .withAllowedRegistries(settings.allowedRegistries().orElse(List.of()))
          .allows(remote);
    } catch (IllegalArgumentException _) {
      // One of the lists is invalid itself, and reported as such.
      return true;
    }
  }

  /// Checks a platform.
  public static void platform(String variable, Optional<String> platform, Mistakes found) {
    found.parse(variable, platform, "OS/ARCHITECTURE[/VARIANT]", Platform::parse);
  }

  /// Checks the path of a disk in an image.
  ///
  /// @return the path if it is valid
  public static Optional<DiskPath> path(String variable, String path, Mistakes found) {
    return found.parse(
        variable,
        Optional.of(path),
        "the absolute path of a file, with *, ? and [] only behind its last /",
        DiskPath::parse);
  }
}
