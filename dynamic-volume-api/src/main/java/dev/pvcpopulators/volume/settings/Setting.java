package dev.pvcpopulators.volume.settings;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import io.smallrye.config.WithParentName;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One setting, as a `@ConfigMapping` interface declares it: what `--help` and the operations pages
/// are made from.
///
/// @param variable the environment variable: `POPULATOR_TOKEN_FILE`
/// @param fallback what holds where nothing is set; null where nothing does
/// @param values what may be set, in a few words: `true or false`, `a duration (10s, 5m)`
/// @param meaning what [Described] says
public record Setting(String variable, @Nullable String fallback, String values, String meaning) {
  /// The settings of an interface and of its groups, by variable. Settings of lists of groups are
  /// not among them, because their variables have numbers in them.
  ///
  /// @throws IllegalArgumentException where it has no `@ConfigMapping`
  public static List<Setting> of(Class<?> mapping) {
    ConfigMapping annotation = mapping.getAnnotation(ConfigMapping.class);
    if (annotation == null) {
      throw new IllegalArgumentException(mapping + " has no @ConfigMapping");
    }
    List<Setting> settings = new ArrayList<>();
    collect(annotation.prefix(), mapping, settings);
    settings.sort(Comparator.comparing(Setting::variable));
    return List.copyOf(settings);
  }

  private static void collect(String prefix, Class<?> group, List<Setting> settings) {
    for (Method method : group.getMethods()) {
      WithName name = method.getAnnotation(WithName.class);
      String key = prefix + "." + (name == null ? kebab(method.getName()) : name.value());
      Described described = method.getAnnotation(Described.class);
      if (described != null) {
        WithDefault fallback = method.getAnnotation(WithDefault.class);
        settings.add(
            new Setting(
                variable(key),
                fallback == null ? null : fallback.value(),
                values(method.getGenericReturnType()),
                described.value()));
      } else if (method.getReturnType().isInterface()) {
        boolean here = method.isAnnotationPresent(WithParentName.class);
        collect(here ? prefix : key, method.getReturnType(), settings);
      }
    }
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
    if (type == boolean.class || type == Boolean.class) {
      return "true or false";
    }
    if (type == int.class || type == Integer.class) {
      return "a number";
    }
    if (type == Duration.class) {
      return "a duration (10s, 5m)";
    }
    if (type == Path.class) {
      return "a path";
    }
    if (type == URI.class) {
      return "a URL";
    }
    if (type == String.class) {
      return "text";
    }
    throw new IllegalArgumentException("Say in a few words what a " + type + " looks like");
  }

  private static String either(Class<?> kind) {
    List<String> words =
        Arrays.stream(kind.getEnumConstants())
            .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .toList();
    String last = words.getLast();
    return words.size() == 1
        ? last
        : words.stream().limit(words.size() - 1L).collect(Collectors.joining(", ")) + " or " + last;
  }

  private static String kebab(String name) {
    return name.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
  }

  private static String variable(String key) {
    return key.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
  }
}
