package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.text.OneLine;
import java.util.Optional;

/// A missing, invalid, contradictory or unknown setting, which prevents a service from starting.
///
/// @param variable the environment variable; for an unknown setting, the name that the user has set
/// @param found what is wrong with the setting
/// @param expected a description of the valid values, which follows the word "expected" in the
///   message; empty if there is none
/// @param example a valid value; empty if there is none
public record Mistake(String variable, Found found, String expected, String example) {
  /// The kind of mistake.
  public sealed interface Found {
    /// A required value is missing.
    record Nothing() implements Found {}

    /// A value that is invalid or contradicts another setting.
    record Value(String text) implements Found {}

    /// A value that is invalid and must not be shown.
    record Secret() implements Found {}

    /// A path that did not pass its check.
    ///
    /// @param text the path
    /// @param state the reason, such as `no such file`
    record Place(String text, String state) implements Found {}

    /// A path that did not pass its check and must not be shown.
    ///
    /// @param state the reason, such as `no such file`
    record SecretPlace(String state) implements Found {}

    /// A name that no setting has.
    ///
    /// @param near the most similar name of a setting; empty if no name is similar
    record NoSetting(Optional<String> near) implements Found {}
  }

  /// Returns one line: `POPULATOR_OVERWRITE=yes: expected true or false, such as true`.
  public String sentence() {
    String wanted =
        (expected.isEmpty() ? "" : "expected " + expected)
            + (expected.isEmpty() || example.isEmpty() ? "" : ", such as " + example);
    return switch (found) {
      case Found.Nothing _ -> variable + ": not set; " + wanted;
      case Found.Value(String text) -> variable + "=" + OneLine.of(text) + ": " + wanted;
      case Found.Secret _ -> variable + " (not shown): " + wanted;
      case Found.Place(String text, String state) ->
          variable + "=" + OneLine.of(text) + ": " + state + "; " + wanted;
      case Found.SecretPlace(String state) -> variable + " (not shown): " + state + "; " + wanted;
      case Found.NoSetting(Optional<String> near) ->
          OneLine.of(variable)
              + ": no such setting"
              + near.map(name -> "; did you mean " + name + "?").orElse("");
    };
  }
}
