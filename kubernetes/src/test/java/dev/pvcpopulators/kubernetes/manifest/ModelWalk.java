package dev.pvcpopulators.kubernetes.manifest;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.pvcpopulators.kubernetes.foreign.VirtualMachine;
import io.fabric8.kubernetes.api.model.AnyType;
import java.lang.reflect.Field;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Walks through an object of the model and all objects below it.
public final class ModelWalk {
  /// The field of fabric8's classes that holds unknown fields.
  private static final String UNKNOWN = "additionalProperties";

  /// Called for each object of the model.
  @FunctionalInterface
  public interface Visitor {
    /// Visits one object.
    ///
    /// @param path the path from the document's root, such as `spec.containers[0]`
    /// @param type the object's class
    /// @param properties the object's set fields, by their names in YAML
    void visit(String path, Class<?> type, Map<String, Object> properties);
  }

  private ModelWalk() {}

  /// Visits the object of a resource and all objects below it, from the top down.
  public static void of(Resource resource, Visitor visitor) {
    walk("", resource.model(), visitor);
  }

  /// Refuses unknown fields, because fabric8 ignores these fields.
  ///
  /// @throws MalformedManifestException if the resource has unknown fields
  static void refuseUnknown(Resource resource) {
    of(
        resource,
        (path, _, properties) -> {
          Object unknown = properties.get(UNKNOWN);
          if (unknown instanceof Map<?, ?> fields && !fields.isEmpty()) {
            throw new MalformedManifestException(
                resource.id() + ": unknown field " + child(path, fields.keySet().toString()));
          }
        });
  }

  private static void walk(String path, @Nullable Object value, Visitor visitor) {
    switch (value) {
      case null -> {}
      case List<?> items -> {
        for (int index = 0; index < items.size(); index++) {
          walk(path + "[" + index + "]", items.get(index), visitor);
        }
      }
      case Map<?, ?> entries ->
          entries.forEach((key, entry) -> walk(child(path, key.toString()), entry, visitor));
      case Object object when isModel(object) -> {
        Map<String, Object> properties = properties(object);
        visitor.visit(path, object.getClass(), properties);
        properties.forEach((name, property) -> {
          if (!name.equals(UNKNOWN)) {
            walk(child(path, name), property, visitor);
          }
        });
      }
      case Object _ -> {}
    }
  }

  private static boolean isModel(Object object) {
    String name = object.getClass().getPackageName();
    return !object.getClass().isEnum()
        && (name.startsWith("io.fabric8.") || name.equals(VirtualMachine.class.getPackageName()));
  }

  private static Map<String, Object> properties(Object object) {
    Map<String, Object> properties = new LinkedHashMap<>();
    try {
      if (object instanceof AnyType any) {
        // The value, for example of a port, is a number or a string. fabric8 stores both types in
        // one field.
        put(properties, "value", any.getValue());
        return properties;
      }
      if (object instanceof Record) {
        for (RecordComponent component : object.getClass().getRecordComponents()) {
          component.getAccessor().setAccessible(true);
          put(properties, component.getName(), component.getAccessor().invoke(object));
        }
        return properties;
      }
      for (Field field : object.getClass().getDeclaredFields()) {
        JsonProperty property = field.getAnnotation(JsonProperty.class);
        if (property != null || Set.of(UNKNOWN, "amount", "format").contains(field.getName())) {
          field.setAccessible(true);
          String name = property == null ? field.getName() : property.value();
          put(properties, name, field.get(object));
        }
      }
      return properties;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Reading " + object.getClass(), e);
    }
  }

  private static void put(Map<String, Object> properties, String name, @Nullable Object value) {
    if (value != null) {
      properties.put(name, value);
    }
  }

  private static String child(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
