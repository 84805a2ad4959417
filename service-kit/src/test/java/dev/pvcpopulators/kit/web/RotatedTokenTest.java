package dev.pvcpopulators.kit.web;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Expected;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

/// Checks that the service ends requests with the old token after a change of the token.
@QuarkusTest
@TestProfile(RotatedTokenTest.TokenFile.class)
class RotatedTokenTest {
  public static final class TokenFile implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      try {
        Path file = Files.createTempFile("rotated", "token");
        Files.writeString(file, "first\n");
        return Map.of("populator.token", "", "populator.token-file", file.toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Inject FakeBean fake;
  @Inject VolumeLifecycle lifecycle;

  @Test
  void requestsWithTheOldTokenEnd() throws Exception {
    Path file = Path.of(ConfigProvider.getConfig().getValue("populator.token-file", String.class));
    String first = "Authorization: Bearer first";
    try (RawRequest stream = new RawRequest();
        RawRequest waiting = new RawRequest()) {
      stream.send(
          "GET /volume/status?follow=true HTTP/1.1", "Host: x", first, "Accept: text/event-stream");
      assertEquals("HTTP/1.1 200 OK", stream.head().getFirst());
      waiting.send("PUT /volume HTTP/1.1", "Host: x", first);
      fake.begun.acquire();
      Files.writeString(file, "second\n");
      stream.rest();
      assertEquals("", waiting.rest());
    }
    try (RawRequest stream = new RawRequest()) {
      stream.send("GET /volume/status HTTP/1.1", "Host: x", "Authorization: Bearer second");
      assertEquals("HTTP/1.1 200 OK", stream.head().getFirst());
    }
    lifecycle.delete(new Expected.Anything()).get(5, TimeUnit.MINUTES);
  }
}
