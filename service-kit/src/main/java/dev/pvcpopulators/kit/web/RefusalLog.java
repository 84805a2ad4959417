package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.kit.lifecycle.LogLimit;
import dev.pvcpopulators.volume.Problem;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Logs requests that were refused or failed (4xx and 5xx), each in one line. The line contains
/// neither the query nor the header fields of the request, because they may contain credentials.
/// The number of lines is limited. A client without a token can cause lines, too. So the lines of
/// requests that did not pass the access check have a separate limit, and do not displace other
/// lines.
@ApplicationScoped
public class RefusalLog {
  private static final Logger LOG = System.getLogger(RefusalLog.class.getName());
  private static final int BEFORE_ALL = 3_000;
  private static final int LEAST = 400;
  private static final int SERVER_ERROR = 500;
  private static final int PATH_CHARS = 100;
  private static final int REASON_CHARS = 300;
  private static final String REASON = RefusalLog.class.getName();
  private static final String ADMITTED = REASON + ".admitted";

  private static final int LINES_OF_STRANGERS = 10;
  private static final int LINES = 60;

  private final LogLimit strangers = new LogLimit(LINES_OF_STRANGERS);
  private final LogLimit others = new LogLimit(LINES);

  void register(@Observes Filters filters) {
    filters.register(this::watch, BEFORE_ALL);
  }

  /// Records that a request has passed the access check.
  public static void admitted(RoutingContext context) {
    context.put(ADMITTED, true);
  }

  /// Records the reason of a refusal for the refusal's log line.
  ///
  /// @param context null outside of a request
  static void reason(@Nullable RoutingContext context, Problem problem) {
    if (context != null) {
      context.put(REASON, problem.detail());
    }
  }

  private void watch(RoutingContext context) {
    context.addEndHandler(_ -> log(context));
    context.next();
  }

  private void log(RoutingContext context) {
    int status = context.response().getStatusCode();
    if (status < LEAST) {
      return;
    }
    boolean admitted = context.get(ADMITTED) != null;
    OptionalLong leftOut = (admitted ? others : strangers).line();
    if (leftOut.isEmpty()) {
      return;
    }
    HttpServerRequest request = context.request();
    SocketAddress address = request.remoteAddress();
    String reason = Objects.requireNonNullElse(context.get(REASON), "");
    LOG.log(
        status < SERVER_ERROR ? Level.INFO : Level.WARNING,
        () ->
            (status < SERVER_ERROR ? "A request was refused: status=" : "A request failed: status=")
                + status
                + " method="
                + Quoted.plain(request.method().name(), PATH_CHARS)
                + " path="
                + Quoted.plain(Objects.requireNonNullElse(request.path(), ""), PATH_CHARS)
                + " address="
                + (address == null ? "-" : address.hostAddress())
                + (leftOut.getAsLong() > 0 ? " leftOutBefore=" + leftOut.getAsLong() : "")
                + (reason.isEmpty() ? "" : " reason=" + Quoted.plain(reason, REASON_CHARS)));
  }
}
