package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.settings.Mistake.Found;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Collects the mistakes in settings. The methods take the name of a setting's variable, and look
/// up the setting's value and an example of a valid value.
public final class Mistakes {
  private final GivenSettings given;
  private final List<Mistake> mistakes = new ArrayList<>();

  Mistakes(GivenSettings given) {
    this.given = given;
  }

  /// Returns the mistakes found so far.
  List<Mistake> mistakes() {
    return List.copyOf(mistakes);
  }

  /// Reports a mistake.
  void add(Mistake mistake) {
    mistakes.add(mistake);
  }

  /// Reports that a setting is missing.
  ///
  /// @param expected the words after "expected" in the message
  public void missing(String variable, String expected) {
    add(variable, new Found.Nothing(), expected);
  }

  /// Reports that the value of a setting is invalid.
  ///
  /// @param expected the words after "expected" in the message
  public void wrong(String variable, String expected) {
    boolean secret = given.setting(variable).secret();
    add(variable, secret ? new Found.Secret() : new Found.Value(given.text(variable)), expected);
  }

  /// Reports that the value of a setting contradicts another setting.
  ///
  /// @param expected the words after "expected" in the message
  public void contradicts(String variable, String expected) {
    mistakes.add(new Mistake(variable, new Found.Value(given.text(variable)), expected, ""));
  }

  /// Parses a value. If the parser throws an `IllegalArgumentException`, reports the value as
  /// invalid.
  ///
  /// @return the parsed value; empty if there is no value or the value is invalid
  public <S, T> Optional<T> parse(
      String variable, Optional<S> value, String expected, Function<S, T> parser) {
    try {
      return value.map(parser);
    } catch (IllegalArgumentException _) {
      // The parser's message can contain the value, which may be a secret.
      wrong(variable, expected);
      return Optional.empty();
    }
  }

  /// Requires a number from `least` to `most`, both inclusive.
  public void within(String variable, long value, long least, long most) {
    if (value < least || value > most) {
      wrong(variable, "a number from " + least + " to " + most);
    }
  }

  /// Requires a duration from `least` to `most`, both inclusive.
  public void within(String variable, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      wrong(variable, "a duration from " + words(least) + " to " + words(most));
    }
  }

  /// Requires that a path passes a check. Does nothing if there is no path.
  public void place(String variable, Optional<Path> path, NamedFiles.Check look, String expected) {
    path.flatMap(it -> given.files().fault(it, look))
        .ifPresent(state -> add(variable, place(variable, path.get().toString(), state), expected));
  }

  private Found place(String variable, String path, String state) {
    // A user may have set the secret itself instead of a path. The secret must not be logged. A
    // slash at the beginning does not show that the value is a path, because a secret in base64 can
    // also begin with a slash. So the value is shown only if it begins with an existing directory.
    boolean shown = !given.setting(variable).secret() || beginsWithDirectory(Path.of(path));
    return shown ? new Found.Place(path, state) : new Found.SecretPlace(state);
  }

  private static boolean beginsWithDirectory(Path path) {
    return path.isAbsolute()
        && path.getNameCount() > 1
        && Files.isDirectory(path.getRoot().resolve(path.getName(0)));
  }

  private void add(String variable, Found found, String expected) {
    mistakes.add(new Mistake(variable, found, expected, given.setting(variable).example()));
  }

  private static String words(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = duration.toSeconds();
    return seconds != 0 && seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds + "s";
  }
}
