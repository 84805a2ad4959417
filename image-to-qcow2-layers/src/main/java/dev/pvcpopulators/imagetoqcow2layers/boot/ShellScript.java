package dev.pvcpopulators.imagetoqcow2layers.boot;

import java.util.Collection;

/// Builds a POSIX shell script. Values are quoted, so the shell expands nothing in them.
final class ShellScript {
  private final StringBuilder text = new StringBuilder();

  /// Quotes any value as one word, in single quotes (POSIX.1-2017, Shell Command Language, 2.2.2).
  static String quoted(String value) {
    return "'" + value.replace("'", "'\\''") + "'";
  }

  /// Adds fixed text unchanged.
  ShellScript lines(String lines) {
    text.append(lines);
    return this;
  }

  /// Sets a variable.
  ShellScript set(String name, String value) {
    text.append(name).append('=').append(quoted(value)).append('\n');
    return this;
  }

  /// Adds a command.
  ///
  /// @param command a fixed text, added unchanged
  /// @param values the arguments of the command
  ShellScript call(String command, Collection<String> values) {
    text.append(command);
    values.forEach(value -> text.append(' ').append(quoted(value)));
    text.append('\n');
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
