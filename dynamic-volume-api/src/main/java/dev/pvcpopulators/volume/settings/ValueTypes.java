package dev.pvcpopulators.volume.settings;

import io.smallrye.config.SmallRyeConfig;

/// Whether values are of their settings' types.
final class ValueTypes {
  private final SmallRyeConfig config;

  ValueTypes(SmallRyeConfig config) {
    this.config = config;
  }

  /// @param raw empty text counts as nothing, which a setting with a default does not take
  boolean accept(KnownSetting setting, String raw) {
    if (raw.isEmpty()) {
      return setting.optional();
    }
    Class<?> type = setting.type();
    if (type == boolean.class || type == Boolean.class) {
      // Configuration takes whatever is not true for false, a misspelt true among it.
      return raw.strip().equalsIgnoreCase("true") || raw.strip().equalsIgnoreCase("false");
    }
    Class<?> boxed = type == int.class ? Integer.class : type;
    // Lists are lists of texts, of which every text is one.
    return setting.several() || type == String.class || converts(raw, boxed);
  }

  private <T> boolean converts(String raw, Class<T> type) {
    try {
      return config.getConverter(type).orElseThrow().convert(raw) != null;
    } catch (RuntimeException _) {
      // Converters throw what they like; what they say of the value is not shown.
      return false;
    }
  }
}
