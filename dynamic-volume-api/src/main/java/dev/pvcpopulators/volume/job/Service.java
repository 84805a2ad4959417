package dev.pvcpopulators.volume.job;

import java.util.List;

/// A service, as its command line presents it.
///
/// @param name as it is called: `http-upload`
/// @param summary one sentence for `--help`
/// @param settings the service's own `@ConfigMapping` interfaces, besides those that all share;
///   each method carries [dev.pvcpopulators.volume.settings.Described]
public record Service(String name, String summary, List<Class<?>> settings) {
  public Service {
    settings = List.copyOf(settings);
  }
}
