package dev.pvcpopulators.kit.job;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// A command on a pseudo-terminal of `script` (util-linux).
final class PseudoTerminal implements AutoCloseable {
  /// The time limit of the command in seconds.
  private static final String LIMIT = "60";

  private final Process script;
  private final Reader output;
  private final Writer keys;
  private final Screen screen = new Screen();
  private final String device;

  /// Starts the command.
  ///
  /// @param settings the arguments of stty(1), which begin with `cols 80`
  /// @param command words that a shell does not expand
  PseudoTerminal(String settings, Map<String, String> environment, List<String> command)
      throws IOException {
    String line =
        "tty; stty "
            + settings
            // A background process may ignore SIGINT (Ctrl-C). Its children then also ignore
            // SIGINT, unless `env` restores the default.
            + "; exec env --default-signal=INT "
            + String.join(" ", command);
    ProcessBuilder builder =
        new ProcessBuilder("timeout", "--foreground", LIMIT, "script", "-qefc", line, "/dev/null");
    builder.environment().keySet().removeIf(name -> name.startsWith("LC_"));
    builder.environment().remove("NO_COLOR");
    builder.environment().putAll(environment);
    script = builder.redirectErrorStream(true).start();
    output = new InputStreamReader(script.getInputStream(), StandardCharsets.UTF_8);
    keys = script.outputWriter(StandardCharsets.UTF_8);
    StringBuilder name = new StringBuilder();
    for (int unit = output.read(); unit != '\n' && unit >= 0; unit = output.read()) {
      name.append((char) unit);
    }
    device = name.toString().strip();
  }

  Screen screen() {
    return screen;
  }

  /// Reads until a drawn line matches the condition, and returns this line.
  String awaitDrawn(Predicate<String> expected) throws IOException {
    int before = screen.drawn().size();
    while (true) {
      List<String> drawn = screen.drawn();
      if (drawn.size() > before) {
        before = drawn.size();
        if (expected.test(drawn.getLast())) {
          return drawn.getLast();
        }
      }
      int unit = output.read();
      if (unit < 0) {
        throw new AssertionError("It ended before that was drawn: " + screen.drawn() + screen);
      }
      screen.print((char) unit);
    }
  }

  void type(String text) throws IOException {
    keys.write(text);
    keys.flush();
  }

  /// Changes the width of the window.
  void resize(int columns) throws IOException, InterruptedException {
    Process stty =
        new ProcessBuilder("stty", "-F", device, "cols", Integer.toString(columns))
            .inheritIO()
            .start();
    if (stty.waitFor() != 0) {
      throw new AssertionError("stty " + device);
    }
  }

  /// Reads until the command ends.
  ///
  /// @return the exit status of the command
  int awaitEnd() throws IOException, InterruptedException {
    for (int unit = output.read(); unit >= 0; unit = output.read()) {
      screen.print((char) unit);
    }
    return script.waitFor();
  }

  @Override
  public void close() {
    script.descendants().forEach(ProcessHandle::destroyForcibly);
    script.destroyForcibly();
  }
}
