package dev.pvcpopulators.kit.web;

import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.ws.rs.BadRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
  /// The service logs its own errors with a stack trace, so an interrupted body must be an error of
  /// the client.
  @Test
  void anInterruptedBodyIsAClientError() throws IOException {
    InputStream closed = InputStream.nullInputStream();
    closed.close();
    assertThrows(BadRequestException.class, () -> RequestBody.read(closed, null, Set.of()));
  }
}
