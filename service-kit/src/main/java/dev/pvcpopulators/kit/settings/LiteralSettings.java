package dev.pvcpopulators.kit.settings;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigSourceInterceptorFactory;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.Expressions;
import io.smallrye.config.Priorities;
import java.util.OptionalInt;

/// Turns off the expansion of expressions in our settings if the settings come from the environment
/// or from system properties. For example, `$$` and `${b}` in a password are part of the password,
/// and `$HOME` in a command is intended for the shell of a virtual machine. Quarkus's own settings,
/// and all settings in an `application.properties`, may contain expressions.
///
/// The names of our settings begin with `populator.` or with the service's name and a dot. The
/// service's name is the value of `quarkus.application.name`.
public final class LiteralSettings implements ConfigSourceInterceptorFactory {
  private static final String SHARED = "populator.";

  /// The ordinal of a file `.env`, the lowest among the sources of the environment; property files
  /// have lower ordinals.
  private static final int ENVIRONMENT_ORDINAL = 295;

  @Override
  public ConfigSourceInterceptor getInterceptor(ConfigSourceInterceptorContext context) {
    ConfigValue name = context.proceed("quarkus.application.name");
    String own = name == null || name.getValue() == null ? SHARED : name.getValue() + ".";
    return (sources, property) -> {
      if (!property.startsWith(SHARED) && !property.startsWith(own)) {
        return sources.proceed(property);
      }
      ConfigValue literal = Expressions.withoutExpansion(() -> sources.proceed(property));
      return literal == null || literal.getConfigSourceOrdinal() >= ENVIRONMENT_ORDINAL
          ? literal
          : sources.proceed(property);
    };
  }

  /// Returns the priority: this interceptor runs before the interceptor that expands expressions.
  @Override
  public OptionalInt getPriority() {
    return OptionalInt.of(Priorities.APPLICATION);
  }
}
