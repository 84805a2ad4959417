package dev.pvcpopulators.volume.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// What a setting means, in the words that `--help` shows; put it on every method of a
/// `@ConfigMapping` interface.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Described {
  /// One sentence or two, with the unit and what happens where nothing is set.
  String value();

  /// What may be set, as it is shown to who has set something else. Without it the default is
  /// shown, or what follows from the type.
  String example() default "";

  /// Whether the value is nobody's business: it is never shown. Of a file with a secret the path is
  /// shown, and nothing that does not look like one.
  boolean secret() default false;
}
