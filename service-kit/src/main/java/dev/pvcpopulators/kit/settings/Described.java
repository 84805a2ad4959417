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
  /// this text is empty, the default is the example; but if the setting is a Boolean or has no
  /// default, its type determines the example.
  String example() default "";

  /// Returns whether the value is a secret or the path of a file with a secret. If true, a message
  /// about an invalid value does not show the value, with one exception: if the check of a file
  /// fails, the message shows a path that begins with an existing directory, such as `/etc`. Any
  /// other text may be the secret itself.
  boolean secret() default false;
}
