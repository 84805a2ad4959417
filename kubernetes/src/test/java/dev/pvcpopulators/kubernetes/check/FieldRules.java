package dev.pvcpopulators.kubernetes.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.pvcpopulators.kubernetes.manifest.ModelWalk;
import dev.pvcpopulators.kubernetes.manifest.NameSyntax;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Resource;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Checks the rules of the API server that do not follow from the types of the fields. The table
/// `field-rules.txt` lists these rules. A field of a record in the package `foreign` is required
/// unless the record marks the field as `@Nullable`.
final class FieldRules implements Check {
  private static final String TABLE = "field-rules.txt";
  private static final int MAX_PORT = 65_535;
  private static final int MAX_MODE = 0777;

  /// A row of the table `field-rules.txt`.
  ///
  /// @param type the simple name of a class of the model
  /// @param field the name of the field in YAML
  /// @param rules the rules of the field in the table, such as `required` and `port-name`
  private record Row(String type, String field, List<String> rules) {}

  private final List<Row> rows = rows();

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Resource resource : rendering.resources()) {
      ModelWalk.of(
          resource,
          (path, type, properties) -> {
            String where = resource.id() + " " + path;
            rows.stream()
                .filter(row -> row.type().equals(type.getSimpleName()))
                .forEach(row -> judge(where, type, row, properties, faults));
            if (type.isRecord()) {
              missing(where, type, properties, faults);
            }
            if (type == Quantity.class) {
              quantity(where, properties, faults);
            }
          });
    }
    return faults;
  }

  private static void judge(
      String where, Class<?> type, Row row, Map<String, Object> properties, List<String> faults) {
    if (!known(type, row.field())) {
      faults.add(TABLE + ": " + type + " has no field " + row.field());
    }
    Object value = properties.get(row.field());
    String field = where + "." + row.field();
    List<String> rules = row.rules();
    for (int index = 0; index < rules.size(); index++) {
      String rule = rules.get(index);
      if (rule.equals("required") || rule.equals("required-of-" + properties.get("kind"))) {
        if (value == null || empty(value)) {
          faults.add(field + ": required, and not there");
        }
      } else if (rule.equals("one-of")) {
        List<String> allowed = rules.subList(index + 1, rules.size());
        each(value)
            .map(Object::toString)
            .filter(word -> !allowed.contains(word))
            .forEach(word ->
                faults.add(field + ": expected one of " + allowed + ", found '" + word + "'"));
        return;
      } else if (value != null && !rule.startsWith("required-of-")) {
        String fault = fault(rule, value);
        if (fault != null) {
          faults.add(field + ": expected " + fault + ", found '" + value + "'");
        }
      }
    }
  }

  private static @Nullable String fault(String rule, Object value) {
    return switch (rule) {
      case "port" -> within(value, 1, MAX_PORT) ? null : "a port";
      case "mode" -> within(value, 0, MAX_MODE) ? null : "a file's mode";
      case "labels" -> NameSyntax.labelsFault((Map<?, ?>) value);
      case "annotations" -> NameSyntax.annotationsFault((Map<?, ?>) value);
      default -> NameSyntax.of(rule).fault(value.toString());
    };
  }

  private static boolean within(Object value, long least, long most) {
    return value instanceof Number number
        && number.longValue() >= least
        && number.longValue() <= most;
  }

  /// Returns whether a value is unset. In the model, an empty list, map or text represents an
  /// absent field. An empty object, such as an empty selector, counts as set.
  private static boolean empty(Object value) {
    return switch (value) {
      case Collection<?> items -> items.isEmpty();
      case Map<?, ?> entries -> entries.isEmpty();
      case String text -> text.isEmpty();
      default -> false;
    };
  }

  private static Stream<?> each(@Nullable Object value) {
    return switch (value) {
      case null -> Stream.empty();
      case Collection<?> items -> items.stream();
      default -> Stream.of(value);
    };
  }

  private static boolean known(Class<?> type, String field) {
    return type.isRecord()
        ? Arrays.stream(type.getRecordComponents()).anyMatch(one -> one.getName().equals(field))
        : Arrays.stream(type.getDeclaredFields())
            .map(one -> one.getAnnotation(JsonProperty.class))
            .anyMatch(name -> name != null && name.value().equals(field));
  }

  private static void missing(
      String where, Class<?> type, Map<String, Object> properties, List<String> faults) {
    for (RecordComponent component : type.getRecordComponents()) {
      boolean optional = component.getAnnotatedType().isAnnotationPresent(Nullable.class);
      if (!optional && !properties.containsKey(component.getName())) {
        faults.add(where + "." + component.getName() + ": required, and not there");
      }
    }
  }

  private static void quantity(String where, Map<String, Object> properties, List<String> faults) {
    String text =
        Objects.toString(properties.get("amount"), "")
            + Objects.toString(properties.get("format"), "");
    String fault = NameSyntax.of("quantity").fault(text);
    if (fault != null) {
      faults.add(where + ": expected " + fault + ", found '" + text + "'");
    }
  }

  private static List<Row> rows() {
    try (InputStream in =
        Objects.requireNonNull(FieldRules.class.getResourceAsStream(TABLE), TABLE)) {
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> List.of(line.strip().split(" +", -1)))
          .map(FieldRules::row)
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException("Reading " + TABLE, e);
    }
  }

  private static Row row(List<String> words) {
    String[] field = words.getFirst().split("\\.", 2);
    return new Row(field[0], field[1], words.subList(1, words.size()));
  }
}
