package dev.pvcpopulators.kit.security;

import dev.pvcpopulators.kit.web.EarlyRefusal;
import dev.pvcpopulators.volume.Problem;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Refuses ambiguous requests before the access check and before every route. If a request is
/// ambiguous, this service and a proxy in front of it could disagree about the host of the request,
/// or about the end of its body. If they disagree about the end of the body, one of them reads
/// bytes as a part of the body, and the other reads the same bytes as the next request (RFC 9112,
/// section 11.2).
///
/// The HTTP engine itself refuses other malformed requests: requests with two lengths, with a
/// length in addition to chunks, or with line ends without CR.
@ApplicationScoped
class RequestFraming {
  private static final int FIRST = 2_000;

  private static final Pattern ABSOLUTE =
      Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]*).*", Pattern.DOTALL);

  private static final Problem UNKNOWN_CODING =
      Problem.of(
          501, "Not Implemented", "Transfer-Encoding: expected chunked and nothing besides it");
  private static final Problem SEVERAL_HOSTS =
      Problem.of(400, "Bad Request", "Expected one Host, found several");

  private static final Problem OTHER_HOST =
      Problem.of(
          400, "Bad Request", "Expected the Host of the request's target, found another Host");
  private static final Problem OTHER_VERSION =
      Problem.of(
          505,
          "HTTP Version Not Supported",
          "Expected HTTP/1.0 or HTTP/1.1, found another version");

  void register(@Observes Filters filters) {
    filters.register(RequestFraming::check, FIRST);
  }

  private static void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    List<String> hosts = request.headers().getAll(HttpHeaders.HOST);
    List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    // The engine reports an unknown HTTP version as null. Without this check, the service would
    // serve a request of an unknown version like HTTP/1.1.
    if (request.version() == null) {
      EarlyRefusal.cut(context, OTHER_VERSION);
      return;
    }
    // The engine ignores a transfer coding that it does not know. RFC 9112, section 6.1, recommends
    // refusing a request with an unknown transfer coding.
    if (codings.size() > 1 || codings.stream().anyMatch(it -> !it.equalsIgnoreCase("chunked"))) {
      EarlyRefusal.cut(context, UNKNOWN_CODING);
    } else if (hosts.size() > 1) {
      // RFC 9112, section 3.2, requires refusing a request with several Host fields.
      EarlyRefusal.cut(context, SEVERAL_HOSTS);
    } else if (!hosts.isEmpty() && contradicts(request.uri(), hosts.getFirst())) {
      EarlyRefusal.cut(context, OTHER_HOST);
    } else {
      context.next();
    }
  }

  /// Returns whether a request target in absolute form contradicts the field `Host`. The engine
  /// uses `Host`, but a proxy uses the target (RFC 9112, section 3.2.2).
  private static boolean contradicts(String target, String host) {
    Matcher absolute = ABSOLUTE.matcher(target);
    return absolute.matches() && !absolute.group(1).equalsIgnoreCase(host.strip());
  }
}
