package dev.pvcpopulators.kit.settings;

import io.smallrye.config.SmallRyeConfig;

/// Checks whether values have the types of their settings.
record ValueTypes(SmallRyeConfig config) {
  /// Returns whether a value has the setting's type.
  ///
  /// @param raw the value as text; an empty text means unset, which only an optional setting
  ///   accepts
  boolean accept(KnownSetting setting, String raw) {
    if (raw.isEmpty()) {
      return setting.optional();
    }
    Class<?> type = setting.type();
    if (type == boolean.class || type == Boolean.class) {
      // SmallRye converts every unknown text to false, even a misspelt `true`.
      return raw.strip().equalsIgnoreCase("true") || raw.strip().equalsIgnoreCase("false");
    }
    Class<?> boxed = type == int.class ? Integer.class : type;
    // The elements of all lists are texts, and every text is valid.
    return setting.several() || type == String.class || converts(raw, boxed);
  }

  private <T> boolean converts(String raw, Class<T> type) {
    try {
      return config.getConverter(type).orElseThrow().convert(raw) != null;
    } catch (RuntimeException _) {
      // Converters throw arbitrary exceptions, whose messages may contain the value. So no message
      // is shown.
      return false;
    }
  }
}
