package dev.pvcpopulators.kit.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.lifecycle.FakePopulator.End;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeRequest;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks that the request time-out limits the time in which a request arrives, but not the time
/// until its answer.
@QuarkusTest
@TestProfile(BodyTimeoutTest.ShortTimeout.class)
class BodyTimeoutTest {
  private static final String TOKEN = "Authorization: Bearer " + VolumeResourceTest.TOKEN;
  private static final String YAML = "Content-Type: application/yaml";

  public static final class ShortTimeout implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of("populator.http.request-timeout", "5s");
    }
  }

  @Inject FakeBean fake;
  @Inject VolumeLifecycle lifecycle;

  @BeforeEach
  void nothingThere() throws Exception {
    lifecycle.delete(new Expected.Anything()).get(5, TimeUnit.MINUTES);
    fake.begun.drainPermits();
  }

  /// Sends an incomplete request, and waits until the service closes its connection. By then, the
  /// time-out of an earlier request has also passed.
  private static void passTimeout() throws IOException {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", TOKEN, YAML, "Content-Length: 12", "", "form");
      assertEquals("", raw.rest());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 12\r\n\r\nformat: raw\n",
        "Transfer-Encoding: chunked\r\n\r\nc\r\nformat: raw\n\r\n0"
      })
  void creationAfterTheTimeoutIsAnswered(String body) throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", TOKEN, YAML, body);
      assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES), "the creation has begun");
      passTimeout();
      fake.ends.put(new End.Success(new PvcSource("made-late")));
      assertEquals("HTTP/1.1 201 Created", raw.head().getFirst());
    }
  }

  @Test
  void deletionAfterTheTimeoutIsAnswered() throws Exception {
    var _ = lifecycle.put(VolumeRequest.empty());
    fake.ends.put(new End.Success(new PvcSource("removed-late")));
    int all = fake.deletions.drainPermits();
    try (RawRequest raw = new RawRequest()) {
      raw.send("DELETE /volume HTTP/1.1", "Host: x", TOKEN, "Content-Length: 4", "", "body");
      passTimeout();
      fake.deletions.release(all);
      assertEquals("HTTP/1.1 204 No Content", raw.head().getFirst());
    } finally {
      if (fake.deletions.availablePermits() == 0) {
        fake.deletions.release(all);
      }
    }
  }
}
