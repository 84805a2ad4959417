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
/// @param flags what its command line has besides those that all have
/// @param guide how one begins with it
public record Service(
    String name, String summary, List<Class<?>> settings, List<Flag> flags, Guide guide) {
  public Service {
    settings = List.copyOf(settings);
    flags = List.copyOf(flags);
  }

  /// A flag that has the process do something else, as a job, and exit.
  ///
  /// @param name as it is typed: `--dry-run`
  /// @param meaning for `--help`, at most 60 letters
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

  /// What a person needs first. With the flags it makes a `--help` of 24 lines.
  ///
  /// @param often the settings that are used most
  /// @param examples lines that work as they stand where `SERVICE/run.sh` does
  /// @param request what asks a running service for its work; `{url}` stands for where it listens
  public record Guide(List<Often> often, List<String> examples, String request) {
    public Guide {
      often = List.copyOf(often);
      examples = List.copyOf(examples);
    }
  }

  /// A setting that is used often.
  ///
  /// @param variable as the settings have it; its default is taken from there
  /// @param words what it means, in a few of them
  public record Often(String variable, String words) {}
}
