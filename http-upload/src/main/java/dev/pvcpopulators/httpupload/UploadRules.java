package dev.pvcpopulators.httpupload;

import dev.pvcpopulators.kit.disk.FormatSetting;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.GivenSettings;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.SettingsRules;
import dev.pvcpopulators.kit.settings.SharedRules;
import java.time.Duration;

/// Checks the settings of this service.
public final class UploadRules implements SettingsRules {
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final int HIGHEST_RATE = 1 << 30;

  @Override
  public void check(GivenSettings given, Mistakes found) {
    HttpUploadSettings settings = given.of(HttpUploadSettings.class);
    ClaimName.require(given, found);
    SharedRules.target(given, found, true);
    if (given.shared().statusPort().isPresent()) {
      found.contradicts(
          "POPULATOR_STATUS_PORT",
          "no value, because a job of http-upload serves its status on the port of the"
              + " upload, QUARKUS_HTTP_PORT or POPULATOR_TLS_PORT");
    }
    FormatSetting.check("HTTP_UPLOAD_FORMAT", settings.format(), found);
    found.within("HTTP_UPLOAD_RESUME_WINDOW", settings.resumeWindow(), Duration.ZERO, LONGEST);
    found.within("HTTP_UPLOAD_IDLE_TIMEOUT", settings.idleTimeout(), SHORTEST, LONGEST);
    found.within("HTTP_UPLOAD_LEAST_RATE", settings.leastRate(), 0, HIGHEST_RATE);
  }
}
