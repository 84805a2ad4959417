package dev.pvcpopulators.kit.security;

import dev.pvcpopulators.kit.connection.ConnectionLimiter;
import dev.pvcpopulators.kit.settings.AuthChoice;
import dev.pvcpopulators.kit.settings.Loopback;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.PopulatorSettings.Auth;
import dev.pvcpopulators.kit.web.EarlyRefusal;
import dev.pvcpopulators.kit.web.Pages;
import dev.pvcpopulators.kit.web.RefusalLog;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeRequest;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.config.Config;

/// Refuses each request that has no access; the routes do not check access. Runs before every route
/// and before any of the body is read. `GET` and `HEAD` of open paths never require a token. Open
/// paths are the paths of [OpenPath] and of the page's files. The path of a request is open only if
/// it equals one of these paths, without patterns or normalisation, so that no other spelling of a
/// path passes.
@ApplicationScoped
class AccessFilter {
  private static final int BEFORE_ALL = 1_000;
  private static final Set<HttpMethod> READING = Set.of(HttpMethod.GET, HttpMethod.HEAD);
  private static final Problem MISDIRECTED =
      Problem.of(
          421,
          "Misdirected Request",
          "This service has no authentication and listens on a loopback address: expected the host"
              + " 'localhost' or an address, found another name; for other names set"
              + " POPULATOR_TOKEN_FILE");
  private static final Problem CROWDED =
      Problem.of(503, "Service Unavailable", "Too many requests are unanswered; retry later");
  private static final Problem GUESSING =
      Problem.of(
          429, "Too Many Requests", "Too many wrong tokens came from this address; retry later");
  private static final Problem CONTRADICTION =
      Problem.of(
          400,
          "Bad Request",
          "Authenticating: expected one token, found Authorization and X-Populator-Token, which are"
              + " not the same bearer token");
  private static final Map<String, String> LATER = Map.of("Retry-After", "5");
  private static final int LONGEST_NUMBER = 18;

  private final Access access;
  private final Pages pages;
  private final ConnectionLimiter connections;
  private final Duration requestTimeout;
  private final boolean authenticates;
  private final boolean localOnly;
  private final Counter unauthenticated;
  private final Counter forbidden;
  private final Counter undecided;

  AccessFilter(
      PopulatorSettings settings,
      Config config,
      Pages pages,
      ConnectionLimiter connections,
      MeterRegistry registry) {
    this.pages = pages;
    this.connections = connections;
    this.requestTimeout = settings.http().requestTimeout();
    this.unauthenticated = refusals(registry, "unauthenticated");
    this.forbidden = refusals(registry, "forbidden");
    this.undecided = refusals(registry, "undecided");
    this.access = new AccessRules(settings, config).access();
    this.authenticates =
        AuthChoice.of(settings, config).filter(auth -> auth == Auth.NONE).isEmpty();
    this.localOnly = !authenticates && Loopback.listens(config);
  }

  private static Counter refusals(MeterRegistry registry, String reason) {
    return Counter.builder("pvc.populator.auth.refusals")
        .tag("reason", reason)
        .description("Requests without a valid token or permission")
        .register(registry);
  }

  void register(@Observes Filters filters) {
    filters.register(this::check, BEFORE_ALL);
  }

  private void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    EarlyRefusal.boundUnreadBody(context);
    HostAndPort authority = request.authority();
    if (localOnly && !LocalName.is(authority == null ? null : authority.host())) {
      EarlyRefusal.refuse(context, MISDIRECTED, Map.of());
      return;
    }
    if (open(request)) {
      context.next();
      return;
    }
    if (connections.crowded()) {
      EarlyRefusal.refuse(context, CROWDED, LATER);
      return;
    }
    // Contradictory tokens are refused before the decision, so that neither token is tried and the
    // answer reveals nothing about the tokens.
    if (authenticates && RequestToken.of(request.headers()).contradicts()) {
      unauthenticated.increment();
      EarlyRefusal.refuse(context, CONTRADICTION, Map.of());
      return;
    }
    CompletableFuture<Access.Decision> decision = decide(request).toCompletableFuture();
    if (decision.isDone()) {
      act(context, decision.join());
      return;
    }
    request.pause();
    Context loop = context.vertx().getOrCreateContext();
    var _ =
        decision.thenAccept(decided ->
            loop.runOnContext(_ -> {
              // If the client has closed the connection before the decision, the end handlers have
              // run already, and a route that starts now would never learn that the request has
              // ended.
              if (!context.response().closed()) {
                request.resume();
                act(context, decided);
              }
            }));
  }

  private CompletionStage<Access.Decision> decide(HttpServerRequest request) {
    return access.decide(
        RequestToken.of(request.headers()).token(), ClientAddress.of(request.remoteAddress()));
  }

  private boolean open(HttpServerRequest request) {
    boolean reads = READING.contains(request.method());
    return reads && (OpenPath.isOpen(request.path()) || pages.has(request.path()));
  }

  private void act(RoutingContext context, Access.Decision decision) {
    switch (decision) {
      case ALLOWED -> {
        if (authenticates) {
          AccessRecheck.watch(context, () -> decide(context.request()));
        }
        admit(context);
      }
      case UNAUTHENTICATED ->
          refuseToken(
              context,
              RequestToken.of(context.request().headers()).token() == null ? "none" : "another");
      case EXPIRED -> refuseToken(context, "one that has expired");
      case FORBIDDEN -> {
        forbidden.increment();
        EarlyRefusal.refuse(
            context, Problem.of(403, "Forbidden", "This user may not use this service"), Map.of());
      }
      case LIMITED -> {
        unauthenticated.increment();
        EarlyRefusal.refuse(context, GUESSING, LATER);
      }
      case UNDECIDED -> {
        undecided.increment();
        EarlyRefusal.refuse(
            context,
            Problem.of(503, "Service Unavailable", "The token cannot be reviewed now"),
            LATER);
      }
    }
  }

  private void refuseToken(RoutingContext context, String found) {
    unauthenticated.increment();
    EarlyRefusal.refuse(
        context,
        Problem.of(
            new Failure.Unauthenticated(
                "Authenticating: expected a valid bearer token, found " + found)),
        Map.of("WWW-Authenticate", "Bearer"));
  }

  private void admit(RoutingContext context) {
    RefusalLog.admitted(context);
    HttpServerRequest request = context.request();
    boolean small = request.path() != null && request.path().startsWith("/volume");
    if (small) {
      EarlyRefusal.boundBody(context, requestTimeout);
    }
    if (small && tooLong(request)) {
      EarlyRefusal.refuse(
          context,
          Problem.of(
              413,
              "Content Too Large",
              "Reading the body: expected at most "
                  + VolumeRequest.MAX_BYTES
                  + " bytes, found more"),
          Map.of());
      return;
    }
    context.next();
  }

  private static boolean tooLong(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    // The HTTP engine refuses a Content-Length that contains other characters than digits. A number
    // with more than LONGEST_NUMBER digits counts as too large, because it may not fit into a long.
    return length != null
        && (length.length() > LONGEST_NUMBER || Long.parseLong(length) > VolumeRequest.MAX_BYTES);
  }
}
