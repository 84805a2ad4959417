package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.PathChecks;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.disk.DiskPath;
import dev.pvcpopulators.registry.remote.RegistryOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The rules for settings that choose images and give access to registries.
///
/// @param access the settings for access to registries; they include the list of allowed registries
/// @param prefix the prefix of the variables of `access`, such as `REGISTRY_COPY_`
/// @param found collects the mistakes
public record RegistryRules(RegistrySettings access, String prefix, Mistakes found) {
  private static final String ALLOWED = "ALLOWED_REGISTRIES";
  private static final String IMAGE_FORM =
      "[docker://]REGISTRY/REPOSITORY[:TAG|@DIGEST], oci:DIRECTORY[:REFERENCE],"
          + " oci-archive:FILE[:REFERENCE] or docker-archive:FILE[:REFERENCE]";

  /// An upper bound for the number of characters that [ChosenDisk#selection] adds to the path of
  /// the disk in the image.
  private static final int SELECTION_WORDS = 20;

  /// Checks the settings for access to registries.
  public void registries() {
    ConnectionRules.pair(
        prefix,
        access.username().isPresent() || access.usernameFile().isPresent(),
        access.password().isPresent() || access.passwordFile().isPresent(),
        found);
    ConnectionRules.secret(prefix + "USERNAME_FILE", access.usernameFile(), found);
    ConnectionRules.secret(prefix + "PASSWORD_FILE", access.passwordFile(), found);
    found.place(
        prefix + "AUTH_FILE",
        access.authFile(),
        PathChecks.text(
            ConnectionRules.MAX_SECRET, text -> text.startsWith("{"), "no JSON object in it"),
        "a file in the form of Docker's config.json");
    found.parse(
        prefix + "INSECURE_REGISTRIES",
        access.insecureRegistries(),
        "HOST[:PORT], several separated by commas",
        places -> RegistryOptions.of(Set.copyOf(places), List.of(), Map.of()));
    found.parse(
        prefix + ALLOWED,
        access.allowedRegistries(),
        "HOST[:PORT][/PREFIX], several separated by commas",
        places -> RegistryOptions.of(Set.of(), places, Map.of()));
    found.parse(
        prefix + "MIRRORS",
        access.mirrors(),
        "REGISTRY=MIRROR[,MIRROR], several separated by blanks",
        text -> RegistryOptions.of(Set.of(), List.of(), RegistryAccess.mirrors(text)));
    ConnectionRules.check(access, prefix, found);
  }

  /// Checks the choice of an image.
  ///
  /// @param own prefix of the variables of `settings`
  /// @param needed whether an image is required
  /// @return the image if its reference can be parsed, even if access to the image is not allowed
  public Optional<SourceReference> image(ImageSettings settings, String own, boolean needed) {
    String variable = own + "IMAGE";
    if (settings.image().isEmpty() && needed) {
      found.missing(variable, "the image");
    }
    Optional<SourceReference> named =
        found.parse(variable, settings.image(), IMAGE_FORM, SourceReference::parse);
    if (named.isPresent() && !allowed(named.get())) {
      found.contradicts(variable, "an image of " + prefix + ALLOWED);
    }
    found.parse(
        own + "PLATFORM", settings.platform(), "OS/ARCHITECTURE[/VARIANT]", Platform::parse);
    return named;
  }

  /// Checks the choice of a disk in an image.
  ///
  /// @param own prefix of the variables of `settings`
  /// @param needed whether an image is required
  public void disk(ImageDiskSettings settings, String own, boolean needed) {
    image(settings, own, needed)
        .filter(image -> image.toString().length() > Origin.MAX_TEXT)
        .ifPresent(_ ->
            found.wrong(
                own + "IMAGE", "an image's name of at most " + Origin.MAX_TEXT + " characters"));
    found
        .parse(
            own + "PATH",
            Optional.of(settings.path()),
            "the absolute path of a file, with *, ? and [] only after its last /",
            DiskPath::parse)
        .filter(path -> path.pattern().length() > Origin.MAX_TEXT - SELECTION_WORDS)
        .ifPresent(_ ->
            found.wrong(
                own + "PATH",
                "a path of at most " + (Origin.MAX_TEXT - SELECTION_WORDS) + " characters"));
  }

  private boolean allowed(SourceReference image) {
    if (!(image instanceof SourceReference.Remote remote)) {
      return true;
    }
    try {
      return RegistryOptions.of(
              Set.copyOf(access.insecureRegistries().orElse(List.of())),
              access.allowedRegistries().orElse(List.of()),
              Map.of())
          .allows(remote);
    } catch (IllegalArgumentException _) {
      // The list of insecure registries or the list of allowed registries is invalid; [#registries]
      // reports the invalid list.
      return true;
    }
  }
}
