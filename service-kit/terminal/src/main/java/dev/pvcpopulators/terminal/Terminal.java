package dev.pvcpopulators.terminal;

import dev.pvcpopulators.linux.TerminalWindow;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// The terminal at standard output, with at most one changing line at the end of the output. After
/// [#attach], all other output to the terminal through [System#out] and [System#err] is printed
/// above the changing line, one whole line at a time. Thread-safe.
///
/// This class changes no state of the terminal and does not hide the cursor, so that a killed
/// process leaves at most a line behind.
public final class Terminal {
  /// The width if neither the terminal nor `COLUMNS` states one.
  private static final int USUAL_COLUMNS = 80;

  /// The number of columns that stay free, so that the `^C` that a terminal shows does not start
  /// another line.
  private static final int MARGIN = 3;

  private static final String TO_THE_LEFT = "\r";

  /// ECMA-48, 8.3.41: EL, erase in line.
  private static final String ERASE_REST = "\u001b[K";

  /// The abilities of the terminal.
  ///
  /// @param unicode whether the terminal shows Unicode characters
  /// @param escapes whether the terminal understands the control sequences of ECMA-48
  /// @param colours whether texts may have colours: the terminal understands the control sequences,
  ///   and the variable `NO_COLOR` is empty or not set
  public record Style(boolean unicode, boolean escapes, boolean colours) {
    /// Returns the abilities of the terminal behind a stream.
    public static Style of(PrintStream out, Map<String, String> environment) {
      boolean escapes = !environment.getOrDefault("TERM", "dumb").equals("dumb");
      boolean plain = !environment.getOrDefault("NO_COLOR", "").isEmpty();
      // A terminal whose `TERM` is `dumb` or not set gets ASCII only.
      boolean unicode = escapes && out.charset().equals(StandardCharsets.UTF_8);
      return new Style(unicode, escapes, escapes && !plain);
    }

    /// Returns the text in bold and green (ECMA-48, 8.3.117: Select Graphic Rendition), or
    /// unchanged if `colours` is false.
    public String good(String text) {
      return colours ? "\u001b[1;32m" + text + "\u001b[0m" : text;
    }

    /// Returns the text in bold and red, or unchanged if `colours` is false.
    public String bad(String text) {
      return colours ? "\u001b[1;31m" + text + "\u001b[0m" : text;
    }
  }

  private static volatile @Nullable Terminal attached;

  private final PrintStream out;
  private final Style style;
  private String shown = "";

  /// Creates a terminal without replacing any stream.
  public Terminal(PrintStream out, Style style) {
    this.out = out;
    this.style = style;
  }

  /// Returns whether standard output is a terminal.
  public static boolean present() {
    return TerminalWindow.columns(TerminalWindow.STANDARD_OUTPUT).isPresent();
  }

  /// Replaces [System#out], and [System#err] if standard error is a terminal, so that their lines
  /// are printed above the changing line. Call this method before other code, such as logging,
  /// keeps a reference to one of these streams.
  public static void attach() {
    Terminal terminal = new Terminal(System.out, Style.of(System.out, System.getenv()));
    attached = terminal;
    System.setOut(terminal.beside(System.out));
    if (TerminalWindow.columns(TerminalWindow.STANDARD_ERROR).isPresent()) {
      System.setErr(terminal.beside(System.err));
    }
  }

  /// Returns the terminal that [#attach] created; empty if [#attach] was not called.
  public static Optional<Terminal> attached() {
    return Optional.ofNullable(attached);
  }

  /// Returns the abilities of the terminal.
  public Style style() {
    return style;
  }

  /// Returns the maximum number of columns of the changing line.
  public int columns() {
    OptionalInt asked = TerminalWindow.columns(TerminalWindow.STANDARD_OUTPUT);
    int columns = asked.orElse(0) > 0 ? asked.getAsInt() : usualColumns();
    return Math.max(1, columns - MARGIN);
  }

  private static int usualColumns() {
    String said = System.getenv().getOrDefault("COLUMNS", "");
    return said.matches("[1-9][0-9]{0,3}") ? Integer.parseInt(said) : USUAL_COLUMNS;
  }

  /// Shows a line as the changing line, in place of the previous one.
  public synchronized void draw(String line) {
    String rest = style.escapes() ? ERASE_REST : blanks(shown.length() - line.length());
    out.print(TO_THE_LEFT + line + rest);
    out.flush();
    shown = line;
  }

  /// Removes the changing line, and prints the given lines.
  public synchronized void say(String lines) {
    clear();
    out.println(lines);
    out.flush();
  }

  private synchronized void sayBeside(PrintStream stream, String line) {
    String hidden = shown;
    clear();
    stream.println(PlainText.printed(line));
    stream.flush();
    if (!hidden.isEmpty()) {
      draw(hidden);
    }
  }

  private void clear() {
    if (!shown.isEmpty()) {
      out.print(
          style.escapes()
              ? TO_THE_LEFT + ERASE_REST
              : TO_THE_LEFT + blanks(shown.length()) + TO_THE_LEFT);
      out.flush();
      shown = "";
    }
  }

  private static String blanks(int count) {
    return " ".repeat(Math.max(0, count));
  }

  private PrintStream beside(PrintStream stream) {
    OutputStream lines = new LineCollector(stream.charset(), line -> sayBeside(stream, line));
    return new PrintStream(lines, true, stream.charset());
  }
}
