package dev.pvcpopulators.kit.settings;

import io.smallrye.config.WithDefault;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One setting as a `@ConfigMapping` interface declares it. `--help` and the operations pages are
/// made from these declarations.
///
/// @param variable the environment variable: `POPULATOR_TOKEN_FILE`
/// @param fallback the default; null if there is none
/// @param values the valid values in a few words: `true or false`, `a duration (10s, 5m)`
/// @param meaning the text of the annotation [Described] of the setting
/// @param example a valid value
/// @param secret whether the value is a secret or the path of a file with a secret
public record Setting(
    String variable,
    @Nullable String fallback,
    String values,
    String meaning,
    String example,
    boolean secret) {
  private static final Map<Type, String> VALUES =
      Map.of(
          boolean.class, "true or false",
          Boolean.class, "true or false",
          int.class, "a number",
          Integer.class, "a number",
          Duration.class, "a duration (10s, 5m)",
          Path.class, "a path",
          URI.class, "a URL",
          String.class, "text");

  /// Returns the settings of an interface and of its groups, sorted by variable. A setting in a
  /// list of groups is left out, because the name of its variable contains an index.
  ///
  /// @throws IllegalArgumentException if the interface has no `@ConfigMapping`, or if one of its
  ///   settings has no description, no example or an unknown type
  public static List<Setting> of(Class<?> mapping) {
    return KnownSetting.of(mapping).stream()
        .filter(known -> !known.indexed())
        .map(Setting::of)
        .sorted(Comparator.comparing(Setting::variable))
        .toList();
  }

  static Setting of(KnownSetting known) {
    Described described = known.method().getAnnotation(Described.class);
    if (described == null) {
      throw new IllegalArgumentException("Say what " + known.property() + " means");
    }
    WithDefault annotation = known.method().getAnnotation(WithDefault.class);
    String fallback = annotation == null ? null : annotation.value();
    String example = described.example();
    if (example.isEmpty()) {
      example = fallback == null || isBoolean(known.type()) ? example(known) : fallback;
    }
    return new Setting(
        known.variable(),
        fallback,
        values(known.method().getGenericReturnType()),
        described.value(),
        example,
        described.secret());
  }

  private static String example(KnownSetting known) {
    Class<?> type = known.type();
    if (type.isEnum()) {
      return words(type).getFirst();
    }
    if (isBoolean(type)) {
      // The example is `true`, because a user who sets a boolean usually wants to enable something.
      return "true";
    }
    if (type == Duration.class) {
      return "10s";
    }
    throw new IllegalArgumentException("Give an example of " + known.property());
  }

  private static boolean isBoolean(Class<?> type) {
    return type == boolean.class || type == Boolean.class;
  }

  private static String values(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      String element = values(parameterized.getActualTypeArguments()[0]);
      return parameterized.getRawType() == Optional.class
          ? element
          : element + ", several separated by commas";
    }
    if (type instanceof Class<?> kind && kind.isEnum()) {
      return either(kind);
    }
    String words = VALUES.get(type);
    if (words == null) {
      throw new IllegalArgumentException("Say in a few words what a " + type + " looks like");
    }
    return words;
  }

  private static String either(Class<?> kind) {
    List<String> words = words(kind);
    String last = words.getLast();
    return words.size() == 1
        ? last
        : words.stream().limit(words.size() - 1L).collect(Collectors.joining(", ")) + " or " + last;
  }

  private static List<String> words(Class<?> kind) {
    return Arrays.stream(kind.getEnumConstants())
        .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .toList();
  }
}
