package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.kit.settings.GivenSettings;
import dev.pvcpopulators.kit.settings.Mistakes;
import dev.pvcpopulators.kit.settings.PathChecks;
import dev.pvcpopulators.kit.settings.SettingsRules;
import dev.pvcpopulators.kit.settings.SharedRules;
import dev.pvcpopulators.kit.source.RegistryRules;
import java.util.List;
import java.util.Optional;

/// Checks the settings of this service.
public final class LayersRules implements SettingsRules {
  /// The name of a setting that is true if this process is an [Inventory] or a [Cleanup]. These
  /// processes need only the store, so the settings need not name an image.
  static final String STORE_ONLY = "store-only";

  private static final String PREFIX = LayersRequest.PREFIX;
  private static final String SIZE = "a multiple of 1M, from 16M to ";
  private static final String WORDS = "words, or a JSON list of texts";

  @Override
  public void check(GivenSettings given, Mistakes found) {
    LayersSettings settings = given.of(LayersSettings.class);
    ClaimName.require(given, found);
    places(given, settings, found);
    RegistryRules rules = new RegistryRules(settings, PREFIX, found);
    rules.registries();
    var _ = rules.image(settings, PREFIX, given.isJob() && !given.flag(STORE_ONLY));
    found.parse(
        PREFIX + "NAME",
        settings.name(),
        "a DNS label (a-z, 0-9 and -; at most 63)",
        LayersRequest::name);
    found.parse(
        PREFIX + "SIZE",
        Optional.of(settings.size()),
        SIZE + DiskSize.of(LayersRequest.MAX_SIZE),
        LayersRequest::layered);
    found.parse(PREFIX + "DATA_SIZE", settings.dataSize(), SIZE + "16T", LayersRequest::geometry);
    process(settings, found);
  }

  private static void places(GivenSettings given, LayersSettings settings, Mistakes found) {
    boolean written = !given.flag(Plan.LOOKING_ONLY);
    if (settings.store().isEmpty() || settings.flatten()) {
      SharedRules.target(given, found, written);
    }
    found.place(
        PREFIX + "STORE",
        settings.store(),
        PathChecks.directory(written),
        "an existing directory for layers and images");
    found.place(
        PREFIX + "KERNEL",
        Optional.of(settings.kernel()),
        PathChecks.directory(false),
        "a directory with a kernel, its modules and a static busybox");
  }

  private static void process(LayersSettings settings, Mistakes found) {
    found.parse(PREFIX + "ENTRYPOINT", settings.entrypoint(), WORDS, LayersRequest::words);
    found.parse(PREFIX + "COMMAND", settings.command(), WORDS, LayersRequest::words);
    found.parse(
        PREFIX + "ENVIRONMENT",
        settings.environment(),
        "NAME=VALUE, one per line, or a JSON list of them",
        LayersRules::variables);
  }

  private static List<String> variables(String text) {
    List<String> variables = LayersRequest.lines(text);
    if (variables.stream().anyMatch(variable -> variable.indexOf('=') < 1)) {
      throw new IllegalArgumentException("expected NAME=VALUE");
    }
    return variables;
  }
}
