package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.GivenSettings;
import dev.pvcpopulators.kit.settings.Mistake;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.SettingsRules;
import dev.pvcpopulators.kit.settings.SharedRules;
import dev.pvcpopulators.kit.source.RegistryRules;
import java.util.List;
import java.util.Optional;

/// Checks the settings of this service.
public final class CopyRules implements SettingsRules {
  private static final String PREFIX = "REGISTRY_COPY_";
  private static final String IMAGE = PREFIX + "IMAGE";

  /// The most characters of a selection besides the path, in the disk's record.
  private static final int SELECTION_WORDS = 20;

  @Override
  public List<Mistake> mistakes(GivenSettings given) {
    Mistakes found = given.collect();
    RegistryCopySettings settings = given.of(RegistryCopySettings.class);
    ClaimName.require(given, found);
    // Also for a dry run, which reports whether a copy would succeed.
    SharedRules.target(given, found, true);
    RegistryRules.access(settings, PREFIX, found);
    RegistryRules.image(settings, PREFIX, IMAGE, settings.image(), given.isJob(), found)
        .filter(image -> image.toString().length() > Origin.MAX_TEXT)
        .ifPresent(_ ->
            found.wrong(IMAGE, "an image's name of at most " + Origin.MAX_TEXT + " characters"));
    RegistryRules.platform(PREFIX + "PLATFORM", settings.platform(), found);
    RegistryRules.path(PREFIX + "PATH", settings.path(), found)
        .filter(path -> path.pattern().length() > Origin.MAX_TEXT - SELECTION_WORDS)
        .ifPresent(_ ->
            found.wrong(PREFIX + "PATH", "a path of less than " + Origin.MAX_TEXT + " characters"));
    found.parse(
        PREFIX + "FORMAT",
        Optional.of(settings.format()),
        FormatSetting.VALUES,
        FormatSetting::parse);
    return found.mistakes();
  }
}
