package dev.pvcpopulators.volume.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Put on a `@ConfigMapping` interface: what its settings must be besides of the right type.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface CheckedBy {
  /// The rules; a public class with a public constructor that takes nothing.
  Class<? extends SettingsRules> value();
}
