package dev.pvcpopulators.volume.web;

import io.quarkus.logging.LoggingFilter;
import java.io.IOException;
import java.util.logging.Filter;
import java.util.logging.LogRecord;

/// Leaves out of the log that a status stream could not be written to, because its client has gone:
/// so it ends whenever somebody closes a page. Whatever else goes wrong with one is logged.
@LoggingFilter(name = "gone-clients")
public final class GoneClients implements Filter {
  private static final String WRITER =
      "org.jboss.resteasy.reactive.server.handlers.PublisherResponseHandler";

  @Override
  public boolean isLoggable(LogRecord record) {
    return !(record.getThrown() instanceof IOException && WRITER.equals(record.getLoggerName()));
  }
}
