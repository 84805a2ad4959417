package dev.pvcpopulators.kit.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.kit.lifecycle.FakePopulator.End;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.lifecycle.VolumeLifecycle;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeRequest;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class StatusStreamTest {
  @Inject FakeBean fake;
  @Inject VolumeLifecycle lifecycle;

  private final HttpClient client = HttpClient.newHttpClient();

  @BeforeEach
  void nothingThere() throws Exception {
    lifecycle.delete(new Expected.Anything()).get(5, TimeUnit.MINUTES);
    fake.begun.drainPermits();
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://localhost:" + RestAssured.port + path))
        .header("Authorization", "Bearer " + VolumeResourceTest.TOKEN);
  }

  private Stream<String> open() throws Exception {
    return open("/volume/status");
  }

  private Stream<String> open(String path) throws Exception {
    HttpResponse<Stream<String>> answer =
        client.send(
            request(path).header("Accept", "text/event-stream").build(),
            HttpResponse.BodyHandlers.ofLines());
    assertEquals(200, answer.statusCode());
    return answer.body();
  }

  private static JsonNode next(Iterator<String> lines, String phase) throws IOException {
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith("data:")) {
        JsonNode status =
            Notation.JSON.read(line.substring(5).strip().getBytes(StandardCharsets.UTF_8));
        if (status.path("phase").asText().equals(phase)) {
          return status;
        }
      }
    }
    throw new AssertionError("expected an event with phase " + phase + ", found the end");
  }

  @Test
  void tellsOfEveryPhaseAndEndsWithTheLast() throws Exception {
    try (Stream<String> events = open()) {
      Iterator<String> lines = events.iterator();
      next(lines, "Absent");
      var _ = lifecycle.put(VolumeRequest.empty());
      next(lines, "Pending");
      Progress progress = progress();
      progress.total(100);
      progress.format("raw");
      progress.received(40);
      JsonNode transferring = next(lines, "Transferring");
      while (transferring.path("bytesIn").asLong() < 40) {
        transferring = next(lines, "Transferring");
      }
      assertEquals(40, transferring.path("percent").asInt());
      assertEquals("raw", transferring.path("format").asText());
      progress.finalizing();
      next(lines, "Finalizing");
      fake.ends.put(new End.Success(new PvcSource("claim")));
      JsonNode ready = next(lines, "Ready");
      assertEquals("claim", ready.path("source").path("pvc").path("claimname").asText());
      while (lines.hasNext()) {
        assertTrue(lines.next().isBlank(), "nothing follows the last phase");
      }
    }
  }

  @Test
  void followContinuesAfterTheEnd() throws Exception {
    try (Stream<String> events = open("/volume/status?follow=true")) {
      Iterator<String> lines = events.iterator();
      next(lines, "Absent");
      var _ = lifecycle.put(VolumeRequest.empty());
      Progress progress = progress();
      progress.parts(
          () -> List.of(new Part(Part.Kind.LAYER, "sha256:one", Part.State.MOVING, 7, 9)));
      progress.received(7);
      JsonNode transferring = next(lines, "Transferring");
      JsonNode part = transferring.path("parts").path(0);
      assertEquals(
          "{\"kind\":\"layer\",\"name\":\"sha256:one\",\"state\":\"moving\",\"done\":7,\"total\":9}",
          part.toString());
      fake.ends.put(new End.Failed(new Failure.SourceNotFound("Pulling x: found nothing")));
      assertEquals(
          "Pulling x: found nothing",
          next(lines, "Failed").path("failure").path("detail").asText());
      var _ = lifecycle.put(VolumeRequest.empty());
      next(lines, "Pending");
      fake.ends.put(new End.Success(new PvcSource("claim")));
      next(lines, "Ready");
      lifecycle.delete(new Expected.Anything()).get(5, TimeUnit.MINUTES);
      next(lines, "Absent");
    }
  }

  @Test
  void failuresAreKeptTheNewestFirst() throws Exception {
    for (String detail : List.of("the older one", "the newer one")) {
      CompletableFuture<Creation> ended = lifecycle.put(VolumeRequest.empty());
      fake.ends.put(new End.Failed(new Failure.SourceUnavailable(detail)));
      assertThrows(ExecutionException.class, () -> ended.get(5, TimeUnit.MINUTES));
      lifecycle.delete(new Expected.Anything()).get(5, TimeUnit.MINUTES);
    }
    HttpResponse<byte[]> answer =
        client.send(
            request("/volume/status/failures").build(), HttpResponse.BodyHandlers.ofByteArray());
    assertEquals(200, answer.statusCode());
    JsonNode failures = Notation.JSON.read(answer.body());
    assertEquals("the newer one", failures.path(0).path("detail").asText());
    assertEquals("the older one", failures.path(1).path("detail").asText());
    assertEquals(true, failures.path(0).path("retryable").asBoolean());
    Instant newer = Instant.parse(failures.path(0).path("at").asText());
    assertFalse(newer.isBefore(Instant.parse(failures.path(1).path("at").asText())));
  }

  private Progress progress() throws InterruptedException {
    assertTrue(fake.begun.tryAcquire(5, TimeUnit.MINUTES), "the creation began");
    return Objects.requireNonNull(fake.progress);
  }

  @Test
  void clientThatGoesAwayLeavesNothing() throws Exception {
    for (int i = 0; i < 5; i++) {
      try (RawRequest raw = new RawRequest()) {
        raw.send(
            "GET /volume/status HTTP/1.1",
            "Host: x",
            "Accept: text/event-stream",
            "Authorization: Bearer " + VolumeResourceTest.TOKEN);
        assertEquals("HTTP/1.1 200 OK", raw.head().getFirst());
      }
    }
    Instant end = Instant.now().plus(Duration.ofMinutes(10));
    while (!metrics().contains("pvc_populator_status_streams 0.0")) {
      assertTrue(Instant.now().isBefore(end), "all streams are gone: " + metrics());
    }
  }

  private String metrics() throws Exception {
    return client.send(request("/q/metrics").build(), HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void statusIsJsonUnlessYamlIsWanted() throws Exception {
    HttpResponse<String> json =
        client.send(request("/volume/status").build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(
        "Absent",
        Notation.JSON.read(json.body().getBytes(StandardCharsets.UTF_8)).path("phase").asText());
    HttpResponse<String> yaml =
        client.send(
            request("/volume/status").header("Accept", "application/yaml").build(),
            HttpResponse.BodyHandlers.ofString());
    assertTrue(yaml.body().startsWith("phase: Absent\n"), yaml.body());
  }
}
