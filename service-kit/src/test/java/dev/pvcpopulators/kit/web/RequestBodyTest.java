package dev.pvcpopulators.kit.web;

import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.ws.rs.BadRequestException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
  /// If an interrupted body were not an error of the client, each such request would be logged as a
  /// defect, with a stack trace.
  @Test
  void anInterruptedBodyIsAClientError() throws IOException {
    InputStream closed = InputStream.nullInputStream();
    closed.close();
    assertThrows(BadRequestException.class, () -> RequestBody.read(closed, null, Set.of()));
  }
}
