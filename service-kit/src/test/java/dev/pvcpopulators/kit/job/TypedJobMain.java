package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.terminal.BarReport;
import dev.pvcpopulators.terminal.JobReport;
import dev.pvcpopulators.terminal.JsonReport;
import dev.pvcpopulators.terminal.LineReport;
import dev.pvcpopulators.terminal.QuietReport;
import dev.pvcpopulators.terminal.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// A job that reads commands from the lines of standard input. The arguments are `TARGET OUTPUT`,
/// where `OUTPUT` is an output format in lower case.
final class TypedJobMain {
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private TypedJobMain() {}

  public static void main(String... arguments) throws InterruptedException {
    Path target = Path.of(arguments[0]);
    BlockingQueue<String> keys = new LinkedBlockingQueue<>();
    Thread.startVirtualThread(() -> read(keys));
    JobReport report =
        switch (arguments[1]) {
          case "lines" -> new LineReport(System.out, INTERVAL, true);
          case "json" -> new JsonReport(System.out, INTERVAL);
          case "quiet" -> new QuietReport(System.err);
          default -> {
            Terminal.attach();
            yield new BarReport(Terminal.attached().orElseThrow(), new JobSummary(target));
          }
        };
    VolumeLifecycle lifecycle = new VolumeLifecycle(new TypedPopulator(keys), Clock.systemUTC());
    lifecycle.open();
    System.exit(new JobRun(lifecycle, report, target.resolve("termination-log")).run());
  }

  private static void read(BlockingQueue<String> keys) {
    try (BufferedReader typed =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = typed.readLine(); line != null; line = typed.readLine()) {
        keys.add(line);
      }
    } catch (IOException e) {
      throw new IllegalStateException("Reading what is typed", e);
    }
  }
}
