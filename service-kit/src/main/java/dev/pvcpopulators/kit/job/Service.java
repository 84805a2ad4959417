package dev.pvcpopulators.kit.job;

import io.quarkus.runtime.QuarkusApplication;
import java.util.List;
import java.util.Map;

/// The name, settings, flags and help texts of a service, for its command line.
///
/// @param name such as `http-upload`
/// @param summary one sentence for `--help`
/// @param settings the service's own `@ConfigMapping` interfaces, without the interfaces that all
///   services share; each method has the annotation [dev.pvcpopulators.kit.settings.Described],
///   unless it returns a group of settings or a list of groups
/// @param flags the flags that the service has in addition to the flags of all services
/// @param guide the first steps with the service
public record Service(
    String name, String summary, List<Class<?>> settings, List<Flag> flags, Guide guide) {
  public Service {
    settings = List.copyOf(settings);
    flags = List.copyOf(flags);
  }

  /// A flag that selects a task other than making the volume. The process performs this task as a
  /// job with its log on standard error, and exits.
  ///
  /// @param name as on the command line, such as `--dry-run`
  /// @param meaning for `--help`, at most 60 characters
  /// @param properties configuration properties that the flag sets
  /// @param application runs instead of the service
  public record Flag(
      String name,
      String meaning,
      Map<String, String> properties,
      Class<? extends QuarkusApplication> application) {
    public Flag {
      properties = Map.copyOf(properties);
    }
  }

  /// The texts that show a person the first steps. `--help` shows `often` and `examples`; the whole
  /// output of `--help`, which also contains the flags, has at most 24 lines. A service that starts
  /// in a terminal shows `request`.
  ///
  /// @param often the most used settings
  /// @param examples commands that a user can copy, to be run in the directory that contains
  ///   `SERVICE/run.sh`
  /// @param request a command that requests the volume from a running service; `{url}` stands for
  ///   the service's address
  public record Guide(List<Often> often, List<String> examples, String request) {
    public Guide {
      often = List.copyOf(often);
      examples = List.copyOf(examples);
    }
  }

  /// A frequently used setting.
  ///
  /// @param variable the environment variable of the setting; `--help` also shows the setting's
  ///   default
  /// @param words the setting's meaning in a few words
  public record Often(String variable, String words) {}
}
