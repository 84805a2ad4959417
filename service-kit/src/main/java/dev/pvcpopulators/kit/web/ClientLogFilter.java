package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.kit.lifecycle.LogLimit;
import io.quarkus.logging.LoggingFilter;
import java.io.IOException;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/// Removes or limits log lines that clients can cause as often as they want.
///
/// This filter drops the message about a status stream that could not be written because its client
/// has disconnected. Each time a user closes the status page, the page's stream ends in this way.
/// Other failures of a stream are logged. Messages of the HTTP engine, for example about malformed
/// requests, are limited to [#MOST] a minute. Clients can cause these messages without a token, and
/// each message has dozens of lines.
@LoggingFilter(name = "gone-clients")
public final class ClientLogFilter implements Filter {
  /// The maximum number of messages of the engine in a minute.
  static final int MOST = 5;

  private static final String WRITER =
      "org.jboss.resteasy.reactive.server.handlers.PublisherResponseHandler";
  private static final String ERROR_HANDLER = "io.quarkus.vertx.http.runtime.QuarkusErrorHandler";
  private static final Set<String> ENGINE =
      Set.of(
          "io.netty.channel.AbstractChannelHandlerContext",
          "io.netty.channel.DefaultChannelPipeline",
          ERROR_HANDLER,
          "io.vertx.core.net.impl.ConnectionBase",
          "io.vertx.ext.web.RoutingContext");

  private final LogLimit lines;

  /// Creates the filter; called by Quarkus.
  public ClientLogFilter() {
    this(System::nanoTime);
  }

  /// Creates a filter with a clock.
  ///
  /// @param nanoTime a clock in nanoseconds, such as [System#nanoTime]
  ClientLogFilter(LongSupplier nanoTime) {
    lines = new LogLimit(MOST, nanoTime);
  }

  @Override
  public boolean isLoggable(LogRecord record) {
    String logger = record.getLoggerName();
    if (record.getThrown() instanceof IOException && WRITER.equals(logger)) {
      return false;
    }
    // After EarlyRefusal.whenUnreadable has sent a refusal, the code that reads the body tries to
    // send a second answer. The message about this attempt is dropped.
    if (record.getThrown() instanceof IllegalStateException second
        && ERROR_HANDLER.equals(logger)
        && "Response has already been written".equals(second.getMessage())) {
      return false;
    }
    return logger == null || !ENGINE.contains(logger) || lines.line().isPresent();
  }
}
