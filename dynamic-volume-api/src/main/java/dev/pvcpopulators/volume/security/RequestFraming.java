package dev.pvcpopulators.volume.security;

import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.web.EarlyRefusal;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;

/// Refuses requests of which a proxy before this service could see another end, or another
/// addressee, before anything else looks at them: what one of two takes for a body is a request to
/// the other (RFC 9112, section 11.2).
///
/// What the HTTP engine does not read itself never gets here: two lengths, a length beside chunks,
/// line ends without CR.
@ApplicationScoped
class RequestFraming {
  private static final int FIRST = 2_000;

  private static final Problem UNKNOWN_CODING =
      Problem.of(
          501, "Not Implemented", "Transfer-Encoding: expected chunked and nothing besides it");
  private static final Problem SEVERAL_HOSTS =
      Problem.of(400, "Bad Request", "Expected one Host, found several");

  void register(@Observes Filters filters) {
    filters.register(RequestFraming::check, FIRST);
  }

  private static void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    // RFC 9112, section 6.1: the engine takes a coding that it does not know for none.
    if (codings.size() > 1 || codings.stream().anyMatch(it -> !it.equalsIgnoreCase("chunked"))) {
      EarlyRefusal.cut(context, UNKNOWN_CODING);
    } else if (request.headers().getAll(HttpHeaders.HOST).size() > 1) {
      // RFC 9112, section 3.2.
      EarlyRefusal.cut(context, SEVERAL_HOSTS);
    } else {
      context.next();
    }
  }
}
