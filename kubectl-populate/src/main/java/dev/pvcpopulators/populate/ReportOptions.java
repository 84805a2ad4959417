package dev.pvcpopulators.populate;

import dev.pvcpopulators.terminal.BarReport;
import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.terminal.JsonReport;
import dev.pvcpopulators.terminal.LineReport;
import dev.pvcpopulators.terminal.PlainText;
import dev.pvcpopulators.terminal.QuietReport;
import dev.pvcpopulators.terminal.Summary;
import dev.pvcpopulators.terminal.Terminal;
import java.time.Duration;
import picocli.CommandLine.Option;

/// The options for the output of a long-running command. The Jobs of the services have the same
/// options `--json` and `--quiet`.
final class ReportOptions {
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  @Option(names = "--json", description = "prints one JSON object a line, and nothing else")
  private boolean json;

  @Option(
      names = {"-q", "--quiet"},
      description = "prints only the reason of a failure")
  private boolean quiet;

  /// Returns the report. With `--json`, the report is JSON. With `--quiet` but without `--json`,
  /// the report contains only the reason of a failure. With neither option, the report is a
  /// progress bar on a terminal, and lines of text elsewhere.
  JobReport report(Summary summary) {
    if (json) {
      return new JsonReport(System.out, INTERVAL);
    }
    if (quiet) {
      return new QuietReport(System.err);
    }
    if (!Terminal.present()) {
      return new LineReport(System.out, INTERVAL, false);
    }
    Terminal.attach();
    return new BarReport(Terminal.attached().orElseThrow(), summary);
  }

  /// Prints a sentence on standard error. With `--json` or `--quiet`, prints nothing.
  void note(String sentence) {
    if (!json && !quiet) {
      System.err.println(PlainText.line(sentence));
    }
  }
}
