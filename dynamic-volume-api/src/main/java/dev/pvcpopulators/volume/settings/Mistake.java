package dev.pvcpopulators.volume.settings;

import java.util.Optional;

/// A setting that keeps a service from starting.
///
/// @param variable the environment variable, or the property where it was set as one
/// @param found what is wrong with it
/// @param expected what would be right, as it follows "expected"; empty where nothing would
/// @param example a value that is right; empty where there is none
public record Mistake(String variable, Found found, String expected, String example) {
  /// What was found.
  public sealed interface Found {
    /// Nothing, where something has to be.
    record Nothing() implements Found {}

    /// A value that is not taken.
    record Value(String text) implements Found {}

    /// A value that is not taken and not shown.
    record Secret() implements Found {}

    /// A value that names something.
    ///
    /// @param state what became of looking there: `no such file`
    record Place(String text, String state) implements Found {}

    /// As [Place], with a value that is not shown.
    record SecretPlace(String state) implements Found {}

    /// A name that no setting has.
    ///
    /// @param near the setting that is called almost so
    record NoSetting(Optional<String> near) implements Found {}
  }

  /// One line: `POPULATOR_OVERWRITE=yes: expected true or false, such as true`.
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
