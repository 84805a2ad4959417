package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Path;
import java.util.Map;

/// Creates the volumes of the service, without starting Quarkus. The iSCSI target listens on a free
/// port of the loopback address.
final class TestVolumes {
  private TestVolumes() {}

  /// Creates the volumes in an existing directory.
  static StreamedVolumes in(Path directory, Map<String, String> settings) {
    SmallRyeConfig config =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(RegistryStreamIscsiSettings.class)
            .withMapping(PopulatorSettings.class)
            .withDefaultValue("populator.target", directory.toString())
            .withDefaultValue("registry-stream-iscsi.port", "0")
            .withDefaultValue("registry-stream-iscsi.bind", "127.0.0.1")
            .withDefaultValues(settings)
            .build();
    return new StreamedVolumes(
        config.getConfigMapping(PopulatorSettings.class),
        config.getConfigMapping(RegistryStreamIscsiSettings.class),
        config,
        CommandObserver.NONE);
  }
}
