package dev.pvcpopulators.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.client.Endpoint;
import dev.pvcpopulators.volume.client.StatusReport;
import dev.pvcpopulators.volume.client.VolumeAnswer;
import dev.pvcpopulators.volume.client.VolumeClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks how every service answers requests for `/volume`.
@Tag("tools")
@ParameterizedClass
@MethodSource("dev.pvcpopulators.it.Services#names")
final class VolumeContractTest {
  private static final long LIMIT_SECONDS = 600;
  private static final byte[] NOTHING = {};
  private static final String[] JSON = {"Accept", "application/json"};

  @SuppressWarnings("NullAway.Init") // set before each invocation
  private static ContractSubject subject;

  @SuppressWarnings("NullAway.Init")
  private static Path volume;

  @SuppressWarnings("NullAway.Init")
  private static Service service;

  VolumeContractTest(String name) {}

  @BeforeParameterizedClassInvocation
  static void start(String name, @TempDir Path directory) throws IOException, InterruptedException {
    Path sources = Files.createDirectory(directory.resolve("sources"));
    subject = ContractSubject.of(name, sources);
    volume = Files.createDirectory(directory.resolve("volume"));
    service = subject.container(volume).start();
    service.volume().expect(404);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    service.close();
    subject.close();
  }

  @AfterEach
  void clear() throws IOException, InterruptedException {
    service.http().delete("/volume").expect(204);
    assertNothing();
  }

  @Test
  void beforeAnythingWasAskedForThereIsNoVolume() throws IOException, InterruptedException {
    service.volume().expect(404).problem();
    service.http().delete("/volume").expect(204);
    service.http().delete("/volume").expect(204);
    assertNothing();
  }

  @Test
  void putMakesTheVolumeOnce() throws IOException, InterruptedException {
    for (int i = 0; i < 2; i++) {
      Answer made = make().expect(201);
      assertTrue(made.header("content-type").orElse("").startsWith("application/yaml"));
      for (Answer again : List.of(put(""), service.http().get("/volume"))) {
        assertEquals(made.text(), again.expect(200).text());
        assertEquals(made.header("content-type"), again.header("content-type"));
      }
      Answer json = service.http().get("/volume", JSON).expect(200);
      assertTrue(json.header("content-type").orElse("").startsWith("application/json"));
      assertEquals(json.text(), service.http().put("/volume", NOTHING, JSON).expect(200).text());
      subject.assertMade(volume, json);
      JsonNode status = service.status();
      assertEquals("Ready", status.path("phase").asText(), status::toString);
      assertEquals(100, status.path("percent").asInt(), status::toString);
      assertEquals(json.json(), status.path("source"), status::toString);
      assertTrue(status.hasNonNull("started") && status.hasNonNull("finished"), status::toString);
      service.http().delete("/volume").expect(204);
      assertNothing();
    }
  }

  /// Uses the Java client of the contract. The other tests of this class send HTTP requests without
  /// this client.
  @Test
  void theClientMakesFollowsAndRemovesTheVolume() throws IOException, InterruptedException {
    Duration limit = Duration.ofSeconds(LIMIT_SECONDS);
    try (VolumeClient client = new VolumeClient(Endpoint.of(service.base()).within(limit))) {
      assertInstanceOf(VolumeAnswer.Absent.class, client.get());
      VolumeAnswer begun = client.put(VolumeRequest.empty(), Duration.ZERO);
      assertFalse(begun instanceof VolumeAnswer.Absent, begun::toString);
      subject.feed(service);
      StatusReport ready = client.follow(status -> !status.phase().terminal(), limit);
      assertEquals(Phase.Ready, ready.phase(), ready::toString);
      VolumeAnswer.Usable made = assertInstanceOf(VolumeAnswer.Usable.class, client.get());
      assertEquals(service.http().get("/volume").expect(200).text(), made.yaml());
      assertEquals(made.source(), ready.source());
      assertEquals(made, client.put(VolumeRequest.empty(), limit));
      assertFalse(client.delete(new Expected.Revision(Set.of("another")), limit));
      assertTrue(client.delete(new Expected.Revision(Set.of(client.status().revision())), limit));
      assertInstanceOf(VolumeAnswer.Absent.class, client.get());
    }
  }

  /// Two clients request the volume at the same time, and a third client follows the status of the
  /// volume.
  @Test
  void askingMeanwhileJoins()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Stream<String>> events = service.http().events("/volume/status");
    subject.hold();
    CompletableFuture<Answer> first = service.http().putLater("/volume", JSON);
    try (ContractSubject.Half half = subject.half(service)) {
      CompletableFuture<Answer> second = service.http().putLater("/volume", JSON);
      awaitHalf();
      service.http().get("/volume").expect(202);
      Answer waited = service.http().put("/volume", NOTHING, "Prefer", "wait=1").expect(202);
      assertEquals(Optional.of("wait=1"), waited.header("preference-applied"), waited::toString);
      assertFalse(first.isDone() || second.isDone(), "answered before the volume is there");
      half.rest();
      Answer answer = first.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      assertEquals(answer.text(), second.get(LIMIT_SECONDS, TimeUnit.SECONDS).text());
      assertTrue(Set.of(200, 201).contains(answer.status()), answer::toString);
      subject.assertMade(volume, answer);
      assertEquals(List.of("Transferring", "Ready"), phases(events));
    }
  }

  /// Returns the phases in a stream of events, without Absent, Pending and Finalizing, which a
  /// stream may omit.
  private static List<String> phases(CompletableFuture<Stream<String>> events)
      throws InterruptedException, ExecutionException, TimeoutException, IOException {
    Set<String> phases = new LinkedHashSet<>();
    try (Stream<String> lines = events.get(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      for (String line : lines.filter(it -> it.startsWith("data:")).toList()) {
        phases.add(Json.text(line.substring("data:".length())).path("phase").asText());
      }
    }
    phases.removeAll(Set.of("Absent", "Pending", "Finalizing"));
    return new ArrayList<>(phases);
  }

  @Test
  void deleteInTheMiddleCancels()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    subject.hold();
    CompletableFuture<Answer> waiting = service.http().putLater("/volume");
    try (ContractSubject.Half _ = subject.half(service)) {
      awaitHalf();
      Answer accepted =
          service.http().put("/volume", NOTHING, "Prefer", "respond-async").expect(202);
      assertEquals(Optional.of("/volume"), accepted.header("location"), accepted::toString);
      assertTrue(accepted.number("retry-after").orElse(0) > 0, accepted::toString);
      service.http().delete("/volume").expect(204);
      assertNothing();
      waiting.get(LIMIT_SECONDS, TimeUnit.SECONDS).expect(409).problem("cancelled");
    }
    subject.assertMade(volume, make(JSON).expect(201));
  }

  /// The service reports a failure to the waiting client and to later clients. A retry then
  /// succeeds.
  @Test
  void reportsAFailure()
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    ContractSubject.Refusal refusal = subject.refusal();
    String body = subject.refusedBody().orElse("");
    CompletableFuture<Answer> asked =
        body.isEmpty()
            ? service.http().putLater("/volume")
            : CompletableFuture.completedFuture(put(body));
    subject.feedRefused(service);
    Answer answer = asked.get(LIMIT_SECONDS, TimeUnit.SECONDS).expect(refusal.status());
    JsonNode problem = answer.problem(refusal.type());
    assertEquals(problem, service.http().get("/volume").expect(refusal.status()).problem());
    JsonNode status = service.status();
    assertEquals("Failed", status.path("phase").asText(), status::toString);
    assertEquals(problem, status.path("failure"), status::toString);
    assertNothingIn(volume);
    subject.assertMade(volume, make(JSON).expect(201));
  }

  @Test
  void bodiesThatSayNothingKnownAreRefused() throws IOException, InterruptedException {
    for (String body : List.of("colour: blue\n", "- a\n", "a: [\n", "a: 1\na: 2\n", "&x a: *x\n")) {
      put(body).expect(400).problem("invalid-request");
    }
    for (String body : List.of("{\"colour\": \"blue\"}", "[]", "{", "{} {}", "image: x")) {
      service
          .http()
          .put("/volume", body.getBytes(UTF_8), "Content-Type", "application/json")
          .expect(400)
          .problem("invalid-request");
    }
    put("colour: " + "b".repeat(1 << 16) + "\n").expect(413).problem();
    service
        .http()
        .put("/volume", "<a/>".getBytes(UTF_8), "Content-Type", "application/xml")
        .expect(415)
        .problem();
    assertNothing();
  }

  @Test
  void aBodyThatDiffersIsRefusedOrAddsToTheVolume() throws IOException, InterruptedException {
    Answer made = make(JSON).expect(201);
    String other = subject.otherBody().orElse("image: anything\n");
    Answer answer = put(other);
    if (subject.otherBody().isEmpty()) {
      answer.expect(400).problem("invalid-request");
    } else if (subject.grows()) {
      assertNotEquals(made.text(), answer.expect(201).text());
      assertEquals(answer.text(), put(other).expect(200).text());
    } else {
      answer.expect(409).problem("volume-not-empty");
    }
    subject.assertMade(volume, service.http().get("/volume", JSON).expect(200));
  }

  @Test
  void keepsForeignFiles() throws IOException, InterruptedException {
    Path note = Files.writeString(volume.resolve("note.txt"), "somebody's");
    Path kept = Files.createDirectory(volume.resolve("kept"));
    Files.writeString(kept.resolve("note.txt"), "somebody's");
    make().expect(201);
    service.http().delete("/volume").expect(204);
    assertEquals("somebody's", Files.readString(note));
    assertEquals("somebody's", Files.readString(kept.resolve("note.txt")));
    Command.run("rm", "-r", note.toString(), kept.toString());
  }

  @Test
  void unknownPathsAreProblems() throws IOException, InterruptedException {
    for (String path : List.of("/", "/volumes", "/volume/disk.img", "/volume/../etc/passwd")) {
      Answer answer = service.http().get(path);
      assertTrue(answer.status() == 404 || path.equals("/"), () -> path + ": " + answer);
      if (answer.status() == 404) {
        answer.problem();
      }
    }
    service.http().patch("/volume", NOTHING).expect(405).problem();
    service.http().put("/volume/status", NOTHING).expect(405).problem();
  }

  @Test
  void isWatched() throws IOException, InterruptedException {
    for (String probe : List.of("live", "ready", "started")) {
      service.http().get("/q/health/" + probe).expect(200);
    }
    make().expect(201);
    String metrics = service.http().get("/q/metrics").expect(200).text();
    for (String name :
        List.of(
            "pvc_populator_received_bytes_total",
            "pvc_populator_written_bytes_total",
            "pvc_populator_phase{phase=\"ready\"} 1",
            "pvc_populator_creation_seconds_count{outcome=\"ready\"}")) {
      assertTrue(metrics.contains("\n" + name), () -> name + " is not in\n" + metrics);
    }
    Answer described = service.http().get("/q/openapi").expect(200);
    assertTrue(described.text().contains("/volume/status"), described::toString);
  }

  /// Requests the volume, and uploads the disk if the service waits for an upload.
  private static Answer make(String... fields) throws IOException, InterruptedException {
    CompletableFuture<Answer> asked = service.http().putLater("/volume", fields);
    subject.feed(service);
    try {
      return asked.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("No answer\n" + service.log(), e);
    }
  }

  private static Answer put(String yaml) throws IOException, InterruptedException {
    return yaml.isEmpty()
        ? service.http().put("/volume", NOTHING)
        : service.http().put("/volume", yaml.getBytes(UTF_8), "Content-Type", "application/yaml");
  }

  private static void awaitHalf() throws IOException, InterruptedException {
    service.await(
        "half of the source",
        () ->
            Optional.of(service.status())
                .filter(now -> now.path("phase").asText().equals("Transferring"))
                .filter(now -> now.path("bytesIn").asLong() > 0));
  }

  private static void assertNothing() throws IOException, InterruptedException {
    service.http().get("/volume").expect(404).problem();
    assertEquals("Absent", service.status().path("phase").asText());
    assertNothingIn(volume);
  }

  /// Checks that no file in the volume has content. Directories and empty files, such as locks, may
  /// remain.
  static void assertNothingIn(Path volume) throws IOException {
    assertEquals(
        "",
        Command.run("find", volume.toString(), "-type", "f", "-size", "+0", "-printf", "%P\\n"),
        "left in the volume");
  }
}
