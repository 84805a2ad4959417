package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.settings.Mistake.Found;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.eclipse.microprofile.config.spi.ConfigSource;

/// Finds all mistakes in the settings of a service before the service starts: values of the wrong
/// type, unknown names, and violations of the rules of the `@ConfigMapping` interfaces
/// ([CheckedBy]).
public final class StartCheck {
  /// An ordinal above the ordinals of all configuration sources that a user can set.
  private static final int ABOVE_ALL = Integer.MAX_VALUE;

  /// The ordinal at which SmallRye keeps the defaults of the mappings.
  private static final int DEFAULTS = Integer.MIN_VALUE;

  private final List<Class<?>> mappings;
  private final KnownSettings known;
  private final NamedFiles files;

  /// The result of a check.
  ///
  /// @param mistakes at most one for a setting, ordered by variable; unknown names come last
  /// @param given the settings; a value of the wrong type is replaced by the setting's default, or
  ///   by no value if there is no default
  public record Result(List<Mistake> mistakes, GivenSettings given) {
    public Result {
      mistakes = List.copyOf(mistakes);
    }
  }

  /// Creates a check.
  ///
  /// @param own the service's `@ConfigMapping` interfaces without [PopulatorSettings]
  public StartCheck(List<Class<?>> own, NamedFiles files) {
    List<Class<?>> all = new ArrayList<>(own);
    all.add(PopulatorSettings.class);
    mappings = List.copyOf(all);
    known = KnownSettings.of(mappings);
    this.files = files;
  }

  /// Checks all settings.
  ///
  /// @param builder creates a new builder with the configuration sources of the service and without
  ///   mappings
  public Result run(Supplier<SmallRyeConfigBuilder> builder) {
    SmallRyeConfig config = config(builder);
    SequencedMap<String, Mistake> unknown = new TreeMap<>();
    Map<String, KnownSettings.Match> set = new TreeMap<>();
    names(config, set, unknown);
    SequencedMap<String, Mistake> mistakes = new TreeMap<>();
    Map<String, String> corrections = types(config, set, mistakes);
    if (!corrections.isEmpty()) {
      config =
          withMappings(
              builder
                  .get()
                  .withSources(new PropertiesConfigSource(corrections, "corrections", ABOVE_ALL)));
    }
    GivenSettings given = new GivenSettings(config, files, known);
    for (Class<?> mapping : mappings) {
      CheckedBy rules = mapping.getAnnotation(CheckedBy.class);
      if (rules != null) {
        Mistakes found = new Mistakes(given);
        rules(rules).check(given, found);
        found.mistakes().forEach(it -> mistakes.putIfAbsent(it.variable(), it));
      }
    }
    List<Mistake> all = new ArrayList<>(mistakes.values());
    all.addAll(unknown.values());
    return new Result(all, given);
  }

  /// Builds the configuration with the mappings. If the values do not fit the mappings, builds the
  /// configuration without mappings.
  private SmallRyeConfig config(Supplier<SmallRyeConfigBuilder> builder) {
    try {
      return withMappings(builder.get());
    } catch (ConfigValidationException _) {
      return builder.get().build();
    }
  }

  private SmallRyeConfig withMappings(SmallRyeConfigBuilder builder) {
    mappings.forEach(builder::withMapping);
    return builder.withValidateUnknown(false).build();
  }

  /// Checks each name that begins with the prefix of a `@ConfigMapping` interface, in all sources
  /// except the mappings' defaults. If the name belongs to a setting, adds it to `set`. Otherwise
  /// adds a mistake to `unknown`, unless the variable has the form of a variable that Kubernetes
  /// sets for a Service.
  private void names(
      SmallRyeConfig config, Map<String, KnownSettings.Match> set, Map<String, Mistake> unknown) {
    for (ConfigSource source : config.getConfigSources()) {
      if (source.getOrdinal() == DEFAULTS) {
        continue;
      }
      for (String name : source.getPropertyNames()) {
        known
            .ours(name)
            .ifPresent(variable ->
                known
                    .match(variable)
                    .ifPresentOrElse(
                        match -> set.put(variable, match),
                        () -> unknown(source, name, variable, unknown)));
      }
    }
  }

  private void unknown(
      ConfigSource source, String name, String variable, Map<String, Mistake> unknown) {
    String value = Objects.requireNonNullElse(source.getValue(name), "");
    // Sources can list one setting under two names: the variable and the property. If both are
    // listed, the mistake names the variable.
    boolean told = unknown.containsKey(variable) && !name.equals(variable);
    if (!told && !ServiceLinks.has(variable, value)) {
      unknown.put(variable, new Mistake(name, new Found.NoSetting(known.near(variable)), "", ""));
    }
  }

  /// Finds values of the wrong type.
  ///
  /// @return the replacements for the values of the wrong type, by property: the default, or an
  ///   empty text if there is no default
  private static Map<String, String> types(
      SmallRyeConfig config, Map<String, KnownSettings.Match> set, Map<String, Mistake> mistakes) {
    Map<String, String> corrections = new HashMap<>();
    ValueTypes types = new ValueTypes(config);
    set.forEach((variable, match) -> {
      ConfigValue value = config.getConfigValue(match.property());
      String raw = Objects.requireNonNullElse(value.getValue(), "");
      if (!types.accept(match.setting(), raw)) {
        Setting setting = Setting.of(match.setting());
        Found found = setting.secret() ? new Found.Secret() : new Found.Value(raw);
        mistakes.put(variable, new Mistake(variable, found, setting.values(), setting.example()));
        corrections.put(match.property(), Objects.requireNonNullElse(setting.fallback(), ""));
      }
    });
    return corrections;
  }

  private static SettingsRules rules(CheckedBy annotation) {
    try {
      return annotation.value().getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Making " + annotation.value(), e);
    }
  }
}
