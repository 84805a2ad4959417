package dev.pvcpopulators.imagetoqcow2layers;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.Expressions;
import io.smallrye.config.Priorities;
import jakarta.annotation.Priority;
import org.jspecify.annotations.Nullable;

/// Takes this service's settings as they stand: a command with `$HOME` or `${NAME:-x}` in it is
/// meant for the machine's shell, and configuration would put its own values there.
@Priority(Priorities.APPLICATION) // Called before what looks for expressions, and calls it.
public final class LiteralSettings implements ConfigSourceInterceptor {
  private static final long serialVersionUID = 1;
  private static final String PREFIX = "image-to-qcow2-layers.";

  @Override
  public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
    return name.startsWith(PREFIX)
        ? Expressions.withoutExpansion(() -> context.proceed(name))
        : context.proceed(name);
  }
}
