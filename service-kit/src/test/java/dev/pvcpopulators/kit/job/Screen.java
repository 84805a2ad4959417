package dev.pvcpopulators.kit.job;

import java.util.ArrayList;
import java.util.List;

/// A terminal emulator that knows only the permitted control sequences. At any other sequence, the
/// test fails.
final class Screen {
  private static final char ESCAPE = '\u001b';
  private static final String SEQUENCE = "\u001b\\[[0-9;]*[A-Za-z]";

  private final List<StringBuilder> rows = new ArrayList<>(List.of(new StringBuilder()));
  private final List<String> drawn = new ArrayList<>();
  private final StringBuilder sequence = new StringBuilder();
  private int column;
  private boolean escaped;

  void print(char unit) {
    if (!sequence.isEmpty()) {
      sequence.append(unit);
      if (sequence.toString().matches(SEQUENCE)) {
        obey(sequence.toString());
        sequence.setLength(0);
      } else if (sequence.length() > 1 && sequence.charAt(1) != '[') {
        throw new AssertionError("a sequence that is not ours begins after " + this);
      }
      return;
    }
    switch (unit) {
      case ESCAPE -> sequence.append(unit);
      case '\r' -> {
        if (!escaped && !rows.getLast().isEmpty()) {
          drawn.add(rows.getLast().toString());
        }
        column = 0;
      }
      case '\n' -> rows.add(new StringBuilder());
      default -> {
        if (Character.isISOControl(unit) || Character.getType(unit) == Character.FORMAT) {
          throw new AssertionError(String.format("U+%04X after %s", (int) unit, this));
        }
        put(unit);
      }
    }
  }

  private void put(char unit) {
    StringBuilder row = rows.getLast();
    while (row.length() <= column) {
      row.append(' ');
    }
    row.setCharAt(column, unit);
    column++;
  }

  private void obey(String whole) {
    escaped = true;
    if (whole.endsWith("K")) {
      StringBuilder row = rows.getLast();
      row.setLength(Math.min(row.length(), column));
      if (column > 0) {
        drawn.add(row.toString());
      }
    } else if (!whole.endsWith("m")) {
      throw new AssertionError("a control that is not ours after " + this);
    }
  }

  /// Returns true if the output contained control sequences.
  boolean escaped() {
    return escaped;
  }

  /// Returns all drawn versions of changing lines, in order.
  List<String> drawn() {
    return drawn;
  }

  /// Returns the lines on the screen.
  List<String> lines() {
    return rows.stream().map(row -> row.toString().stripTrailing()).toList();
  }

  @Override
  public String toString() {
    return "\n" + String.join("\n", lines());
  }
}
