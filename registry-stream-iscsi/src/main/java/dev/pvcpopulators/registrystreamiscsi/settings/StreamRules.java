package dev.pvcpopulators.registrystreamiscsi.settings;

import dev.pvcpopulators.iscsitarget.login.IscsiName;
import dev.pvcpopulators.kit.settings.GivenSettings;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.PathChecks;
import dev.pvcpopulators.kit.settings.SettingsRules;
import dev.pvcpopulators.kit.source.RegistryRules;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Validates the settings of this service.
public final class StreamRules implements SettingsRules {
  static final String PREFIX = "REGISTRY_STREAM_ISCSI_";

  private static final int LAST_PORT = 65_535;
  private static final int MAX_SESSIONS = 10_000;
  private static final int MAX_PULLS = 64;
  private static final int MAX_FAR_READ = 1 << 20;
  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final Duration LONGEST_RETRY = Duration.ofDays(365);

  @Override
  public void check(GivenSettings given, Mistakes found) {
    RegistryStreamIscsiSettings settings = given.of(RegistryStreamIscsiSettings.class);
    found.place(
        "POPULATOR_TARGET",
        Optional.of(given.shared().target()),
        PathChecks.directory(true),
        "a directory for images and LUNs");
    RegistryRules images = new RegistryRules(settings, PREFIX, found);
    images.registries();
    portal(settings, found);
    times(settings, found);
    boolean closed =
        !given.isJob()
            && settings.auth().isEmpty()
            && !PortalAddress.isLoopback(settings, given.config());
    LunRules luns = new LunRules(images, found, closed);
    boolean listed = settings.luns().filter(list -> !list.isEmpty()).isPresent();
    luns.judge(PREFIX, settings.single(), given.isJob() && !listed);
    if (!listed || settings.single().image().isPresent()) {
      luns.access(PREFIX, settings.single());
    }
    int index = 0;
    for (RegistryStreamIscsiSettings.Lun lun : settings.luns().orElse(List.of())) {
      String prefix = PREFIX + "LUNS_" + index++ + "__";
      luns.judge(prefix, lun, true);
      luns.access(prefix, lun);
    }
    luns.account(
        PREFIX + "MUTUAL_USER",
        settings.mutual().user(),
        PREFIX + "MUTUAL_SECRET_FILE",
        settings.mutual().secretFile());
  }

  private static void portal(RegistryStreamIscsiSettings settings, Mistakes found) {
    boolean canonical =
        IscsiName.parse(settings.target())
            .filter(name -> name.toString().equals(settings.target()))
            .isPresent();
    if (!canonical) {
      found.wrong(PREFIX + "TARGET", "an iSCSI name in lower case");
    }
    found.within(PREFIX + "PORT", settings.port(), 0, LAST_PORT);
    found.within(PREFIX + "MAX_SESSIONS", settings.maxSessions(), 1, MAX_SESSIONS);
    found.within(PREFIX + "MAX_PULLS", settings.maxPulls(), 1, MAX_PULLS);
    found.within(PREFIX + "FAR_READ_MEBIBYTES", settings.farReadMebibytes(), 0, MAX_FAR_READ);
    if (settings.bind().orElse(List.of("*")).stream().anyMatch(String::isBlank)) {
      found.wrong(PREFIX + "BIND", "addresses, separated by commas");
    }
  }

  private static void times(RegistryStreamIscsiSettings settings, Mistakes found) {
    found.within(PREFIX + "ARRIVAL_TIMEOUT", settings.arrivalTimeout(), SHORTEST, LONGEST);
    found.within(PREFIX + "GIVE_UP_AFTER", settings.giveUpAfter(), Duration.ZERO, LONGEST_RETRY);
    found.within(PREFIX + "KEEPALIVE", settings.keepalive(), SHORTEST, LONGEST);
    found.within(PREFIX + "LOGOUT_GRACE", settings.logoutGrace(), Duration.ZERO, LONGEST);
    found.within(PREFIX + "EXCLUSIVE_GRACE", settings.exclusiveGrace(), Duration.ZERO, LONGEST);
  }
}
