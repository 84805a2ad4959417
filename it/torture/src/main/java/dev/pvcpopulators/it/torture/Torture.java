package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import dev.pvcpopulators.it.torture.outcome.DocumentedFailures;
import dev.pvcpopulators.it.torture.subject.Round;
import dev.pvcpopulators.it.torture.subject.Subject;
import dev.pvcpopulators.it.torture.subject.Subjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// Plays rounds until the time is over, the maximum number of rounds is reached, or a round fails.
public final class Torture {
  private final List<Subject> subjects;
  private final Engine engine;
  private final SplittableRandom seeds;
  private final Report report;
  private int played;

  private Torture(List<Subject> subjects, Engine engine, long seed, Report report) {
    this.subjects = subjects;
    this.engine = engine;
    this.seeds = new SplittableRandom(seed);
    this.report = report;
  }

  /// Runs the program. Exits with 0 if every round succeeds. If a round fails, exits with 1 and
  /// keeps all files. A round fails if an invariant is broken or an error occurs.
  public static void main(String[] arguments) throws IOException, InterruptedException {
    // The keep-alive time-out of Java's HTTP client is in seconds. The time-out is short, so that
    // idle connections of finished clients do not count as the service's growth.
    System.setProperty("jdk.httpclient.keepalive.timeout", "1");
    Options options = Options.of(List.of(arguments));
    Path work = Files.createTempDirectory("torture");
    boolean whole;
    try (Subjects made = Subjects.in(work, options.subject());
        Engine engine = new Engine(DocumentedFailures.read())) {
      System.out.println("seed " + HexFormat.of().toHexDigits(options.seed()));
      Report report = new Report(System.out, options.report());
      Torture torture = new Torture(made.all(), engine, options.seed(), report);
      whole = torture.run(options, work);
      report.summarise();
    }
    if (whole) {
      Command.run("rm", "-r", work);
    }
    System.exit(whole ? 0 : 1);
  }

  /// Plays the rounds.
  ///
  /// @return false if a round fails
  private boolean run(Options options, Path work) throws IOException, InterruptedException {
    if (options.round().isPresent()) {
      return play(Round.of(options.round().get(), 1, subjects, options::wants), work);
    }
    for (Subject subject : options.growth() > 0 ? subjects : List.<Subject>of()) {
      if (!grows(subject, options, work)) {
        return false;
      }
    }
    long end = System.nanoTime() + options.time().toNanos();
    for (long left = options.rounds(); left > 0 && System.nanoTime() < end; left--) {
      if (!play(Round.of(seeds.nextLong(), played + 1, subjects, options::wants), work)) {
        return false;
      }
    }
    return true;
  }

  /// Plays rounds with faults that leave the process alive, and measures the process.
  ///
  /// @return false if a round fails, or the process has grown
  private boolean grows(Subject subject, Options options, Path work)
      throws IOException, InterruptedException {
    Growth growth = new Growth(subject);
    for (int i = 1; i <= options.growth(); i++) {
      Round round =
          Round.of(
              seeds.nextLong(),
              played + 1,
              List.of(subject),
              fault -> Growth.outlived(fault) && options.wants(fault));
      if (!play(round, work)) {
        return false;
      }
      Optional<Service> process = engine.running(subject);
      if (process.isEmpty()) {
        return true; // A Job has no process that survives a round.
      }
      if (!looks(growth, process.get(), i, round, work)) {
        return false;
      }
    }
    return true;
  }

  private boolean looks(Growth growth, Service process, int rounds, Round last, Path work)
      throws IOException {
    try {
      growth.look(process, rounds).ifPresent(report::say);
      return true;
    } catch (BrokenInvariant e) {
      tell(last, e, work);
      return false;
    }
  }

  private boolean play(Round round, Path work) throws IOException, InterruptedException {
    played++;
    try {
      report.add(engine.play(round));
      return true;
    } catch (AssertionError | IOException | RuntimeException e) {
      tell(round, e, work);
      return false;
    }
  }

  private void tell(Round round, Throwable broken, Path work) throws IOException {
    Path log = work.resolve("service.log");
    Files.writeString(log, engine.log(round.subject()));
    report.broken(round, broken, log, work);
  }
}
