package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.Described;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.util.Optional;

/// Settings in a named group and in a group without a name.
@ConfigMapping(prefix = "fake-service")
interface NestedSettings {
  @WithParentName
  Group nameless();

  Group named();

  interface Group {
    @Described(value = "What it is called", example = "a name")
    Optional<String> title();

    @Described("How many there are")
    @WithDefault("3")
    int count();
  }
}
