package dev.pvcpopulators.kit.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// The meaning of a setting, as `--help settings` shows it; required for every setting of a
/// `@ConfigMapping` interface.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Described {
  /// Returns the meaning in a few sentences, with the unit, and with the behaviour if the setting
  /// has no value.
  String value();

  /// Returns an example of a valid value, shown in the message about a missing or invalid value. If
  /// this text is empty, the setting's type determines the example of a Boolean and of a setting
  /// without a default; for all other settings, the example is the default.
  String example() default "";

  /// Returns whether the value is a secret, which is never shown. There is one exception: the path
  /// of a file with a secret is shown if it begins with `/`. Any other text may be the secret
  /// itself.
  boolean secret() default false;
}
