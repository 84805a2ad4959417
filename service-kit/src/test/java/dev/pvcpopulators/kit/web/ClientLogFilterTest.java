package dev.pvcpopulators.kit.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClientLogFilterTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE);
  private final ClientLogFilter filter = new ClientLogFilter(now::get);

  private static LogRecord of(String logger) {
    LogRecord record = new LogRecord(Level.SEVERE, "said");
    record.setLoggerName(logger);
    return record;
  }

  /// The HTTP engine logs a stack trace for each malformed request.
  @Test
  void boundsLogMessagesOfTheHttpEngine() {
    LogRecord engine = of("io.quarkus.vertx.http.runtime.QuarkusErrorHandler");
    for (int minute = 0; minute < 3; minute++) {
      assertEquals(
          ClientLogFilter.MOST,
          IntStream.range(0, 1000).filter(_ -> filter.isLoggable(engine)).count());
      now.addAndGet(Duration.ofMinutes(1).toNanos());
    }
  }

  @Test
  void doesNotLimitItsOwnMessages() {
    LogRecord ours = of("dev.pvcpopulators.kit.security.TokenGate");
    for (int i = 0; i < 100; i++) {
      assertTrue(filter.isLoggable(ours));
    }
    assertTrue(filter.isLoggable(new LogRecord(Level.INFO, "of no logger")));
  }

  @Test
  void doesNotLogAStatusStreamWhoseClientDisconnected() {
    LogRecord record = of("org.jboss.resteasy.reactive.server.handlers.PublisherResponseHandler");
    assertTrue(filter.isLoggable(record));
    record.setThrown(new IOException("Connection was closed"));
    assertFalse(filter.isLoggable(record));
  }

  @Test
  void theSecondAnswerToARefusedBodyIsNothingToSay() {
    LogRecord record = of("io.quarkus.vertx.http.runtime.QuarkusErrorHandler");
    record.setThrown(new IllegalStateException("Response has already been written"));
    assertFalse(filter.isLoggable(record));
    record.setThrown(new IllegalStateException("another"));
    assertTrue(filter.isLoggable(record));
  }
}
