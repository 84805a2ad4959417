package dev.pvcpopulators.kit.settings;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithParentName;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A setting, identified by its configuration key. This class does not read the setting's
/// annotations, because that would take more time at start than everything else that this class
/// does. [Setting] reads them when they are needed.
///
/// @param property the configuration key, with `[*]` for the index in a list:
///   `registry-stream-iscsi.luns[*].image`
/// @param method the method that returns the value, in the `@ConfigMapping` interface or a group
record KnownSetting(String property, Method method) {
  private static final String INDEX = "[*]";

  /// Matches an index in the name of a variable: a number of at most five digits.
  private static final String INDEX_DIGITS = "([0-9]{1,5})";

  /// Returns the settings of a `@ConfigMapping` interface, of its groups, and of its lists of
  /// groups.
  ///
  /// @throws IllegalArgumentException if the interface has no `@ConfigMapping`
  static List<KnownSetting> of(Class<?> mapping) {
    List<KnownSetting> known = new ArrayList<>();
    collect(prefix(mapping), mapping, known);
    return List.copyOf(known);
  }

  /// Returns the prefix of an interface's properties, without the dot at its end.
  static String prefix(Class<?> mapping) {
    ConfigMapping annotation = mapping.getAnnotation(ConfigMapping.class);
    if (annotation == null) {
      throw new IllegalArgumentException(mapping + " has no @ConfigMapping");
    }
    return annotation.prefix();
  }

  private static void collect(String prefix, Class<?> group, List<KnownSetting> known) {
    for (Method method : group.getMethods()) {
      String property = prefix + "." + kebab(method.getName());
      Class<?> type = element(method.getGenericReturnType());
      if (!isGroup(type)) {
        known.add(new KnownSetting(property, method));
      } else if (isList(method.getGenericReturnType())) {
        collect(property + INDEX, type, known);
      } else {
        collect(method.isAnnotationPresent(WithParentName.class) ? prefix : property, type, known);
      }
    }
  }

  private static boolean isGroup(Class<?> type) {
    return type.isInterface() && !type.getName().startsWith("java.");
  }

  /// Returns the innermost element type of a list or an optional value; for any other type, returns
  /// the type itself.
  private static Class<?> element(Type type) {
    return type instanceof ParameterizedType parameterized
        ? element(parameterized.getActualTypeArguments()[0])
        : (Class<?>) type;
  }

  private static boolean isList(Type type) {
    return type instanceof ParameterizedType parameterized
        && (Collection.class.isAssignableFrom((Class<?>) parameterized.getRawType())
            || isList(parameterized.getActualTypeArguments()[0]));
  }

  /// Returns the type of the value, or of each value of a list.
  Class<?> type() {
    return element(method.getGenericReturnType());
  }

  boolean several() {
    return isList(method.getGenericReturnType());
  }

  boolean optional() {
    return method.getReturnType() == Optional.class;
  }

  /// Returns whether the setting belongs to a list of groups.
  boolean indexed() {
    return property.contains(INDEX);
  }

  /// Returns the name of the environment variable, with `*` for the index.
  String variable() {
    return variable(property);
  }

  /// Returns the property that a variable sets, with the indexes from the variable's name; empty if
  /// the variable does not match this setting.
  Optional<String> propertyOf(String variable) {
    if (!indexed() && !several()) {
      return variable.equals(variable()) ? Optional.of(property) : Optional.empty();
    }
    // Each element of a list also has its own variable, such as POPULATOR_TOKENREVIEW_USERS_0_ for
    // the first user.
    String form =
        Pattern.quote(variable()).replace("_*_", "\\E_" + INDEX_DIGITS + "_\\Q")
            + (several() ? "(?:_" + INDEX_DIGITS + "_)?" : "");
    Matcher matcher = Pattern.compile(form).matcher(variable);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String found = property;
    for (int group = 1; group <= matcher.groupCount(); group++) {
      String index = matcher.group(group);
      if (index != null) {
        found =
            found.contains(INDEX)
                ? found.replace(INDEX, "[" + index + "]")
                : found + "[" + index + "]";
      }
    }
    return Optional.of(found);
  }

  private static String kebab(String name) {
    StringBuilder kebab = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char letter = name.charAt(i);
      // A regular expression would be shorter; but in a JVM that just started, it would take more
      // time than everything else that this class does.
      if (i > 0 && Character.isUpperCase(letter) && !Character.isUpperCase(name.charAt(i - 1))) {
        kebab.append('-');
      }
      kebab.append(Character.toLowerCase(letter));
    }
    return kebab.toString();
  }

  /// Returns the name of a property's environment variable by the rules of MicroProfile Config,
  /// section "Environment Variables Mapping Rules". Unlike these rules, this method keeps `*`.
  static String variable(String property) {
    StringBuilder variable = new StringBuilder();
    for (int i = 0; i < property.length(); i++) {
      char letter = property.charAt(i);
      boolean kept = letter < 128 && (Character.isLetterOrDigit(letter) || letter == '*');
      variable.append(kept ? Character.toUpperCase(letter) : '_');
    }
    return variable.toString();
  }
}
