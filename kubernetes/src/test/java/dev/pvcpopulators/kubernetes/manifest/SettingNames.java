package dev.pvcpopulators.kubernetes.manifest;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.quarkus.runtime.logging.LogRuntimeConfig;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.smallrye.config.ConfigMappingInterface.Property;
import io.smallrye.config.ConfigMappings;
import io.smallrye.config.ConfigMappings.ConfigClass;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;

/// The names of the environment variables that a service reads. Most names come from the
/// configuration mappings of the service and of Quarkus, including the lists and groups in these
/// mappings.
///
/// @param rows one row for each property of a mapping, and for each variable that no mapping reads
public record SettingNames(List<Row> rows) {
  /// Variables that no mapping reads. `PortalAddress` reads `POD_IP`. `lib/registry` reads
  /// `REGISTRY_AUTH_FILE` and `DOCKER_CONFIG`, which contain the paths to the credentials for
  /// registries.
  private static final Set<String> UNMAPPED =
      Set.of("POD_IP", "REGISTRY_AUTH_FILE", "DOCKER_CONFIG");

  /// The mappings with Quarkus's own settings that a user of the services may need.
  private static final List<Class<?>> QUARKUS =
      List.of(VertxHttpConfig.class, LogRuntimeConfig.class);

  private static final ConcurrentMap<PopulatorService, SettingNames> NAMES =
      new ConcurrentHashMap<>();

  /// The variables of one property, or one variable that no mapping reads.
  ///
  /// @param variable the pattern of the variables' names
  /// @param type the type of the value; for a property, the return type of the mapping's method
  record Row(Pattern variable, String type) {}

  public SettingNames {
    rows = List.copyOf(rows);
  }

  public static SettingNames of(PopulatorService service) {
    return NAMES.computeIfAbsent(service, SettingNames::read);
  }

  private static SettingNames read(PopulatorService service) {
    List<Row> rows = new ArrayList<>();
    for (Class<?> mapping : mappings(service)) {
      Map<String, Property> properties =
          ConfigMappings.getProperties(ConfigClass.configClass(mapping));
      properties.forEach((name, property) -> rows.add(new Row(pattern(name), type(property))));
    }
    UNMAPPED.forEach(name ->
        rows.add(
            new Row(
                Pattern.compile(name),
                (name.equals("POD_IP") ? String.class : Path.class).getName())));
    return new SettingNames(rows);
  }

  /// Returns the mappings with the settings that a manifest may set.
  static List<Class<?>> mappings(PopulatorService service) {
    List<Class<?>> mappings = new ArrayList<>(QUARKUS);
    mappings.add(PopulatorSettings.class);
    mappings.add(service.settings());
    return mappings;
  }

  public boolean has(String variable) {
    return rows.stream().anyMatch(row -> row.variable().matcher(variable).matches());
  }

  /// Returns whether the value of a variable is the path of a file or a directory.
  public boolean isPath(String variable) {
    return is(variable, Path.class.getName());
  }

  /// Returns whether the value of a variable must be true or false. The configuration reads a
  /// misspelt "true" as false, and reports no error.
  public boolean isBoolean(String variable) {
    return is(variable, "boolean");
  }

  private boolean is(String variable, String type) {
    return rows.stream()
        .anyMatch(row -> row.type().contains(type) && row.variable().matcher(variable).matches());
  }

  /// Returns the pattern of a property's variables. For example, the pattern of `luns[*].image`
  /// matches `LUNS_0__IMAGE`, and the pattern of `category.*.level` matches
  /// `CATEGORY_ANYTHING_LEVEL`.
  private static Pattern pattern(String property) {
    StringBuilder regex = new StringBuilder();
    for (String part : property.split("(?<=\\[\\*])|(?=\\[\\*])|(?<=\\*)|(?=\\*)", -1)) {
      regex.append(
          switch (part) {
            case "[*]" -> "_[0-9]+_";
            case "[" -> "_";
            case "]" -> "_";
            case "*" -> "[A-Z0-9_]+";
            default -> part.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
          });
    }
    return Pattern.compile(regex.toString());
  }

  private static String type(Property property) {
    return property.getMethod().getGenericReturnType().getTypeName();
  }
}
