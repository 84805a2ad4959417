package dev.pvcpopulators.terminal;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.function.Consumer;

/// Splits output into lines and passes each complete line to a consumer. This class is not
/// thread-safe; use it inside a [java.io.PrintStream], which synchronizes all calls.
final class LineCollector extends OutputStream {
  /// The maximum length of a line in bytes; longer lines are passed on in pieces.
  private static final int MOST = 65_536;

  private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
  private final Charset charset;
  private final Consumer<String> lines;

  LineCollector(Charset charset, Consumer<String> lines) {
    this.charset = charset;
    this.lines = lines;
  }

  @Override
  public void write(int value) {
    if (value == '\n') {
      handOn();
    } else {
      begun.write(value);
      if (begun.size() >= MOST) {
        handOn();
      }
    }
  }

  private void handOn() {
    String line = begun.toString(charset);
    begun.reset();
    lines.accept(line);
  }
}
