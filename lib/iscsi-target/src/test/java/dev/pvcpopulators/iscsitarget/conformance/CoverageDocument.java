package dev.pvcpopulators.iscsitarget.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the table in `COVERAGE.md`, which lists the tests that may report a skip.
final class CoverageDocument {
  private static final String NAME = "COVERAGE.md";
  private static final Pattern ROW =
      Pattern.compile("^\\| `([^`.]+\\.[^`]+)` \\| (\\S.*) \\|$", Pattern.MULTILINE);

  private CoverageDocument() {}

  /// Returns `SUITE.TEST` for each row with a reason.
  static Set<String> allowedSkips() throws IOException {
    Set<String> allowed = new HashSet<>();
    Matcher row = ROW.matcher(Files.readString(module().resolve(NAME)));
    while (row.find()) {
      allowed.add(row.group(1));
    }
    return allowed;
  }

  /// Returns the directory of this module. The build may run the tests with another working
  /// directory.
  static Path module() {
    Path start = Path.of("").toAbsolutePath();
    for (Path here = start; here != null; here = here.getParent()) {
      if (Files.exists(here.resolve(NAME))) {
        return here;
      }
      if (Files.exists(here.resolve("lib/iscsi-target").resolve(NAME))) {
        return here.resolve("lib/iscsi-target");
      }
    }
    throw new AssertionError("No " + NAME + " in " + start + " or above");
  }
}
