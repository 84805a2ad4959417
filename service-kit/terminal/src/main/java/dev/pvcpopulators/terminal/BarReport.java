package dev.pvcpopulators.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A progress bar and a final summary, for a person at a terminal.
public final class BarReport implements JobReport {
  private static final Duration INTERVAL = Duration.ofMillis(200);

  private final Terminal terminal;
  private final Summary words;
  private int draws;

  /// Creates a report.
  ///
  /// @param words the final summary
  public BarReport(Terminal terminal, Summary words) {
    this.terminal = terminal;
    this.words = words;
  }

  @Override
  public Duration interval() {
    return INTERVAL;
  }

  @Override
  public void progress(VolumeStatus status) {
    ProgressBar bar = new ProgressBar(terminal.style().unicode(), draws);
    terminal.draw(bar.line(status, terminal.columns()));
    draws++;
  }

  @Override
  public void end(VolumeStatus status, @Nullable Failure failure, ObjectNode result) {
    terminal.say(words.of(status, failure, terminal.style()));
  }
}
