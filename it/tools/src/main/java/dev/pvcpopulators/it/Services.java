package dev.pvcpopulators.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/// The names of the services, read from `service-parent/services/pom.xml`.
public final class Services {
  private static final Path LIST = Path.of("service-parent/services/pom.xml");
  private static final Pattern MODULE = Pattern.compile("<module>\\.\\./\\.\\./(.*?)</module>");
  private static final List<String> NAMES = read();

  private Services() {}

  /// Returns the names of all services. The name of a service is the name of its folder.
  public static List<String> names() {
    return NAMES;
  }

  /// Returns the name of a service's package below `dev.pvcpopulators`.
  public static String packageOf(String service) {
    return service.replace("-", "");
  }

  private static List<String> read() {
    try {
      List<String> names =
          MODULE
              .matcher(Files.readString(Command.root().resolve(LIST)))
              .results()
              .map(module -> module.group(1))
              .toList();
      if (names.isEmpty()) {
        throw new AssertionError(LIST + " names no service");
      }
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
