package dev.pvcpopulators.kit.web;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeChangedException;
import dev.pvcpopulators.volume.VolumeException;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.UUID;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/// Maps exceptions in Quarkus REST to problem documents, except a [WebApplicationException] with a
/// status below 400.
class Problems {
  private static final Logger LOG = System.getLogger(Problems.class.getName());

  private final CurrentVertxRequest current;

  Problems(CurrentVertxRequest current) {
    this.current = current;
  }

  @ServerExceptionMapper
  Response failure(VolumeException e) {
    return answer(Problem.of(e.failure()));
  }

  @ServerExceptionMapper
  Response changed(VolumeChangedException e) {
    return answer(Problem.of(412, "Precondition Failed", e.detail()));
  }

  @ServerExceptionMapper
  Response http(WebApplicationException e) {
    Response original = e.getResponse();
    int status = original.getStatus();
    if (status < 400) {
      return original;
    }
    String title = original.getStatusInfo().getReasonPhrase();
    Response problem = answer(Problem.of(status, title, detail(status, e)));
    Response.ResponseBuilder answer = Response.fromResponse(problem);
    for (String kept : new String[] {"Allow", "Retry-After"}) {
      Object value = original.getHeaders().getFirst(kept);
      if (value != null) {
        answer.header(kept, value);
      }
    }
    return answer.build();
  }

  @ServerExceptionMapper
  Response anything(Throwable e) {
    String id = UUID.randomUUID().toString();
    LOG.log(Level.ERROR, "Answering a request ended in a defect id=" + id, e);
    return answer(
        Problem.of(new Failure.Bug(id, "Answering ended in a defect; the log has it as " + id)));
  }

  private Response answer(Problem problem) {
    RefusalLog.reason(current.getCurrent(), problem);
    return Documents.problem(problem);
  }

  private static String detail(int status, WebApplicationException e) {
    return switch (status) {
      case 404 -> "This path does not exist";
      case 405 -> "This path does not support this method";
      case 406 -> "This path has no representation of the types in Accept";
      default -> e.getMessage() == null ? "The request was refused" : e.getMessage();
    };
  }
}
