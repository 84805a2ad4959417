package dev.pvcpopulators.volume.job;

import io.quarkus.runtime.QuarkusApplication;
import java.util.List;
import java.util.Map;

/// A service, as its command line presents it.
///
/// @param name as it is called: `http-upload`
/// @param summary one sentence for `--help`
/// @param settings the service's own `@ConfigMapping` interfaces, besides those that all share;
///   each method carries [dev.pvcpopulators.volume.settings.Described]
/// @param flags what its command line has besides `--once` and `--help`
public record Service(String name, String summary, List<Class<?>> settings, List<Flag> flags) {
  public Service {
    settings = List.copyOf(settings);
    flags = List.copyOf(flags);
  }

  /// A service without flags of its own.
  public Service(String name, String summary, List<Class<?>> settings) {
    this(name, summary, settings, List.of());
  }

  /// A flag that has the process do something else, as a job, and exit.
  ///
  /// @param name as it is typed: `--dry-run`
  /// @param meaning for `--help`, half a line
  /// @param properties configuration that goes with it
  /// @param application what runs instead
  public record Flag(
      String name,
      String meaning,
      Map<String, String> properties,
      Class<? extends QuarkusApplication> application) {
    public Flag {
      properties = Map.copyOf(properties);
    }
  }
}
