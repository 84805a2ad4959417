package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.torture.subject.Round;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Prints one line per round, and a table of the outcomes at the end.
final class Report {
  private static final double SECOND = 1e9;

  private final PrintStream out;
  private final Optional<Path> file;
  private final Map<String, Integer> counts = new TreeMap<>();
  private int rounds;

  /// Creates a report.
  ///
  /// @param file the file that gets a header and the line of each round, with tabs between the
  ///   fields; empty for none
  Report(PrintStream out, Optional<Path> file) throws IOException {
    this.out = out;
    this.file = file;
    if (file.isPresent()) {
      Files.writeString(
          file.get(), "round\tseed\tsubject\tinput\tfault\tmoment\tending\tvolume\tseconds\n");
    }
  }

  void add(Engine.Result result) throws IOException {
    Round round = result.round();
    String subject = round.subject().name();
    String fault = round.fault().name();
    List<String> fields =
        List.of(
            Integer.toString(round.number()),
            round.hex(),
            subject,
            round.subject().inputs().get(round.input()),
            fault,
            round.moment().toString(),
            result.ending().toString(),
            result.found().toString(),
            String.format(Locale.ROOT, "%.2f", result.time().toNanos() / SECOND));
    out.println(String.join("  ", fields));
    if (file.isPresent()) {
      Files.writeString(file.get(), String.join("\t", fields) + "\n", StandardOpenOption.APPEND);
    }
    String row = String.join("\t", subject, fault, result.ending() + ", " + result.found());
    counts.merge(row, 1, Integer::sum);
    rounds++;
  }

  /// Prints a line that does not report a round, such as a measurement.
  void say(String what) {
    out.println(what);
  }

  /// Reports a round that failed.
  ///
  /// @param log a file with the log of the service
  /// @param work the directory with the volumes
  void broken(Round round, Throwable why, Path log, Path work) {
    String subject = round.subject().name();
    out.printf(
        "%nBROKEN in round %d: %s, %s, %s at %s%n",
        round.number(),
        subject,
        round.subject().inputs().get(round.input()),
        round.fault().name(),
        round.moment());
    why.printStackTrace(out);
    out.printf(
        "again: --round %s --subject %s --fault %s%nlog: %s, volumes: %s%n",
        round.hex(), subject, round.fault().name(), log, work);
  }

  /// Prints how often each outcome occurred, for each subject and fault.
  void summarise() {
    out.printf("%n%d rounds%n", rounds);
    counts.forEach((row, count) -> {
      String[] fields = row.split("\t", -1);
      out.printf("%6d  %-28s %-14s %s%n", count, fields[0], fields[1], fields[2]);
    });
  }
}
