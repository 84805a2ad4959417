package dev.pvcpopulators.kit.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The meaning of a setting, as `--help` shows it; required on every method of a `@ConfigMapping`
/// interface.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Described {
  /// Returns the meaning in one or two sentences, with the unit, and with the behaviour if the
  /// setting has no value.
  String value();

  /// Returns an example of a valid value, shown if an invalid value was set. By default, the
  /// example is the setting's default, or follows from the type.
  String example() default "";

  /// Returns whether the value is a secret, which is never shown. For a file with a secret the path
  /// is shown, unless it looks like the secret itself.
  boolean secret() default false;
}
