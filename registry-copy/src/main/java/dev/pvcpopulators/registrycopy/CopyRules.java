package dev.pvcpopulators.registrycopy;

import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.GivenSettings;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.SettingsRules;
import dev.pvcpopulators.kit.settings.SharedRules;
import dev.pvcpopulators.kit.source.RegistryRules;

/// Checks the settings of this service.
public final class CopyRules implements SettingsRules {
  private static final String PREFIX = Copy.PREFIX;

  @Override
  public void check(GivenSettings given, Mistakes found) {
    RegistryCopySettings settings = given.of(RegistryCopySettings.class);
    ClaimName.require(given, found);
    // A dry run requires a writable volume, too, because it reports whether a copy would succeed.
    SharedRules.target(given, found, true);
    RegistryRules rules = new RegistryRules(settings, PREFIX, found);
    rules.registries();
    rules.disk(settings, PREFIX, given.isJob());
    FormatSetting.check(PREFIX + "FORMAT", settings.format(), found);
  }
}
