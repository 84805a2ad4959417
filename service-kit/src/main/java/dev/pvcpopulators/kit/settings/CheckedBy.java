package dev.pvcpopulators.kit.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Names the rules that the settings of a `@ConfigMapping` interface must satisfy, in addition to
/// having values of the right types.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface CheckedBy {
  /// Returns the class of the rules. This class must be public, and must have a public constructor
  /// without arguments.
  Class<? extends SettingsRules> value();
}
