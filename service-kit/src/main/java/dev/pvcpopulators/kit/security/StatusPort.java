package dev.pvcpopulators.kit.security;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.web.EarlyRefusal;
import dev.pvcpopulators.volume.Problem;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Map;
import java.util.Set;

/// Makes the status port of a job read-only: accepts `GET` and `HEAD` of `/volume/status` and of
/// the paths of [OpenPath], and refuses every other request. After this check, [AccessFilter]
/// decides about the access to the status, in the same way as for a service.
@ApplicationScoped
class StatusPort {
  /// The priority of [#check]. This check runs before the access check, so that a request that is
  /// refused anyway costs no token review.
  private static final int FIRST = 1_100;

  private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final String STATUS = "/volume/status";

  private final boolean active;

  StatusPort(PopulatorSettings settings) {
    active = settings.mode() == PopulatorSettings.Mode.JOB && settings.statusPort().isPresent();
  }

  void register(@Observes Filters filters) {
    if (active) {
      filters.register(StatusPort::check, FIRST);
    }
  }

  private static void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    if (!STATUS.equals(request.path()) && !OpenPath.isOpen(request.path())) {
      EarlyRefusal.refuse(
          context,
          Problem.of(404, "Not Found", "A job serves " + STATUS + ", health and metrics only"),
          Map.of());
    } else if (!READING.contains(request.method())) {
      EarlyRefusal.refuse(
          context,
          Problem.of(405, "Method Not Allowed", "The status of a job can only be read"),
          Map.of("Allow", "GET, HEAD"));
    } else {
      context.next();
    }
  }
}
