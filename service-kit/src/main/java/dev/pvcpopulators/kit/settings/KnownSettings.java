package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.text.NameSuggestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// All settings of a service. Finds a setting by the name of its environment variable.
final class KnownSettings {
  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  /// The result of a search for a setting by the name of an environment variable.
  ///
  /// @param setting the setting that the variable sets
  /// @param property the setting's property, with the indexes from the variable's name
  record Match(KnownSetting setting, String property) {}

  /// The prefix that all settings of one `@ConfigMapping` interface share, in two forms.
  ///
  /// @param property the prefix of a property's name, such as `registry-copy.`
  /// @param variable the prefix of a variable's name, such as `REGISTRY_COPY_`
  private record Prefix(String property, String variable) {
    static Prefix of(Class<?> mapping) {
      String property = KnownSetting.prefix(mapping) + ".";
      return new Prefix(property, KnownSetting.variable(property));
    }
  }

  private final List<Prefix> prefixes;
  private final Map<String, KnownSetting> plain = new HashMap<>();
  private final List<KnownSetting> numbered = new ArrayList<>();

  private KnownSettings(List<Prefix> prefixes) {
    this.prefixes = List.copyOf(prefixes);
  }

  /// Collects the settings of `@ConfigMapping` interfaces.
  static KnownSettings of(List<Class<?>> mappings) {
    KnownSettings all = new KnownSettings(mappings.stream().map(Prefix::of).toList());
    for (Class<?> mapping : mappings) {
      for (KnownSetting known : KnownSetting.of(mapping)) {
        all.plain.put(known.variable(), known);
        if (known.indexed() || known.several()) {
          all.numbered.add(known);
        }
      }
    }
    return all;
  }

  /// Converts the name of a property or a variable to the name of the variable; empty if the name
  /// begins with none of the prefixes of these settings.
  Optional<String> ours(String name) {
    boolean property = name.indexOf('.') >= 0;
    for (Prefix prefix : prefixes) {
      String start = prefix.variable();
      if (property
          ? name.startsWith(prefix.property())
          : name.regionMatches(true, 0, start, 0, start.length())) {
        return Optional.of(KnownSetting.variable(name));
      }
    }
    return Optional.empty();
  }

  /// Returns the setting that a variable sets; empty if there is none.
  Optional<Match> match(String variable) {
    KnownSetting simple = plain.get(variable);
    if (simple != null && !simple.indexed()) {
      return Optional.of(new Match(simple, simple.property()));
    }
    for (KnownSetting known : numbered) {
      Optional<String> property = known.propertyOf(variable);
      if (property.isPresent()) {
        return Optional.of(new Match(known, property.get()));
      }
    }
    return Optional.empty();
  }

  Optional<String> property(String variable) {
    return match(variable).map(Match::property);
  }

  /// Returns the declaration of the setting that a variable sets.
  ///
  /// @throws IllegalArgumentException if the variable matches no setting
  Setting setting(String variable) {
    return match(variable)
        .map(found -> Setting.of(found.setting()))
        .orElseThrow(() -> new IllegalArgumentException("There is no setting " + variable));
  }

  /// Returns the variable name that is most similar to a misspelt name; empty if none is similar.
  Optional<String> near(String variable) {
    String index =
        NUMBER.matcher(variable).results().findFirst().map(MatchResult::group).orElse("0");
    return NameSuggestion.of(
        variable, plain.keySet().stream().map(name -> name.replace("*", index)).toList());
  }
}
