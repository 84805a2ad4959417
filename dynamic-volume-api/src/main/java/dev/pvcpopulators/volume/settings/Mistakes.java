package dev.pvcpopulators.volume.settings;

import dev.pvcpopulators.volume.settings.Mistake.Found;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Collects the mistakes of some settings. What was found, and an example of what would be right,
/// it knows by the variable's name.
public final class Mistakes {
  private final GivenSettings given;
  private final List<Mistake> mistakes = new ArrayList<>();

  Mistakes(GivenSettings given) {
    this.given = given;
  }

  /// Those that were found so far.
  public List<Mistake> mistakes() {
    return List.copyOf(mistakes);
  }

  /// A setting has to be there.
  ///
  /// @param expected as it follows "expected"
  public void missing(String variable, String expected) {
    add(variable, new Found.Nothing(), expected);
  }

  /// A setting has a value that it cannot have.
  public void wrong(String variable, String expected) {
    boolean secret = given.setting(variable).secret();
    add(variable, secret ? new Found.Secret() : new Found.Value(given.text(variable)), expected);
  }

  /// A setting has a value that contradicts another setting.
  ///
  /// @param expected as it follows "expected"
  public void contradicts(String variable, String expected) {
    mistakes.add(new Mistake(variable, new Found.Value(given.text(variable)), expected, ""));
  }

  /// A value has to be read by a parser.
  ///
  /// @return what it was read as
  public <S, T> Optional<T> parse(
      String variable, Optional<S> value, String expected, Function<S, T> parser) {
    try {
      return value.map(parser);
    } catch (IllegalArgumentException _) {
      // What the parser says can hold the value, which may be a secret.
      wrong(variable, expected);
      return Optional.empty();
    }
  }

  /// A number has to lie within bounds.
  public void within(String variable, long value, long least, long most) {
    if (value < least || value > most) {
      wrong(variable, "a number from " + least + " to " + most);
    }
  }

  /// A duration has to lie within bounds.
  public void within(String variable, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      wrong(variable, "a duration from " + words(least) + " to " + words(most));
    }
  }

  /// A file or a directory has to be as it is needed.
  public void place(String variable, Optional<Path> path, NamedFiles.Look look, String expected) {
    path.flatMap(it -> given.files().fault(it, look))
        .ifPresent(state -> add(variable, place(variable, path.get().toString(), state), expected));
  }

  private Found place(String variable, String path, String state) {
    // Who gives the secret itself where its file is asked for is not to read it in a log.
    boolean shown = !given.setting(variable).secret() || path.startsWith("/");
    return shown ? new Found.Place(path, state) : new Found.SecretPlace(state);
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
