package dev.pvcpopulators.it.torture.outcome;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The failures that the contract dynamic-volume-api documents, parsed from the contract's README.
///
/// @param failures the rows of the README's table; the key is the type of the failure
public record DocumentedFailures(Map<String, Row> failures) {
  /// The type of a failure that a defect of the service causes.
  static final String BUG = "bug";

  /// The type of a failure that a client's mistake causes. The clients of the rounds make no
  /// mistake.
  private static final String MISTAKE = "invalid-request";

  private static final Path DOCUMENT = Path.of("dynamic-volume-api/README.md");
  private static final Pattern ROW =
      Pattern.compile("\\| `([a-z-]+)` \\| (\\d{3}) \\| (\\d+) \\| (?:yes|no) \\|");

  /// A row of the README's table of failures.
  ///
  /// @param status the HTTP status
  /// @param exit the exit status of a Job
  record Row(int status, int exit) {}

  public DocumentedFailures {
    failures = Map.copyOf(failures);
  }

  public static DocumentedFailures read() throws IOException {
    Map<String, Row> failures = new HashMap<>();
    Matcher rows = ROW.matcher(Files.readString(Command.root().resolve(DOCUMENT)));
    while (rows.find()) {
      Row row = new Row(Integer.parseInt(rows.group(2)), Integer.parseInt(rows.group(3)));
      failures.put(rows.group(1), row);
    }
    if (!failures.containsKey(BUG)) {
      throw new AssertionError("No table of failures in " + DOCUMENT);
    }
    return new DocumentedFailures(failures);
  }

  /// Fails if the failure of a job is not documented, is a mistake of the client, or is a defect
  /// that the fault does not explain. Also fails if the status is not the documented status.
  ///
  /// @param signals the exit statuses that the fault explains; a Job with one of these statuses is
  ///   not checked
  /// @param explainsBugs whether the fault explains the failure `bug`
  public void check(Outcome ending, Set<Integer> signals, boolean explainsBugs) {
    switch (ending) {
      case Outcome.Refused(int status, String type) -> {
        BrokenInvariant.unless("HTTP status of " + type, row(type, explainsBugs).status(), status);
      }
      case Outcome.Exited(int status, String type) -> {
        if (!signals.contains(status)) {
          BrokenInvariant.unless("exit status of " + type, row(type, explainsBugs).exit(), status);
        }
      }
      case Outcome.Made _, Outcome.Pending _, Outcome.Unanswered _ -> {}
    }
  }

  private Row row(String type, boolean explainsBugs) {
    Row row = failures.get(type);
    if (row == null) {
      throw new BrokenInvariant("type of the failure", failures.keySet(), "'" + type + "'");
    }
    if (type.equals(MISTAKE)) {
      throw new BrokenInvariant("type of the failure", "not a mistake of the client", type);
    }
    if (type.equals(BUG) && !explainsBugs) {
      throw new BrokenInvariant("type of the failure", "a failure that the fault explains", type);
    }
    return row;
  }
}
