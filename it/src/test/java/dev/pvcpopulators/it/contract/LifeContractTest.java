package dev.pvcpopulators.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Services;
import dev.pvcpopulators.it.container.Container;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks start, restart, kill and Job mode of services in containers. `make test` checks every
/// fourth service. `make nightly` checks every service.
@Tag("tools")
@ParameterizedClass
@MethodSource("services")
final class LifeContractTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final String[] JSON = {"Accept", "application/json"};
  private static final int MAX_MESSAGE = 4096;

  /// The exit code after SIGTERM: 128 plus the number of the signal.
  private static final int TERMINATED = 143;

  @SuppressWarnings("NullAway.Init") // set before each invocation
  private static ContractSubject subject;

  private Path work = Path.of("");
  private Path volume = work;

  LifeContractTest(String name) {}

  static Stream<String> services() {
    return Rounds.oneOf(4, Services.names());
  }

  @BeforeParameterizedClassInvocation
  static void makeSources(String name, @TempDir Path directory)
      throws IOException, InterruptedException {
    subject = ContractSubject.of(name, directory);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    subject.close();
  }

  @BeforeEach
  void makeVolume(@TempDir Path directory) throws IOException {
    work = directory;
    volume = Files.createDirectory(directory.resolve("volume"));
  }

  /// If a service ends during the creation of a volume, a request after the restart creates the
  /// volume. If a service ends after the creation, the restarted service finds the volume.
  @Test
  void restartsNeitherLoseNorInvent() throws Exception {
    Container container = subject.container(volume);
    try (Service stopped = container.start()) {
      assertConfined(stopped);
      try (ContractSubject.Half _ = half(stopped)) {
        assertEquals(TERMINATED, stopped.stop(), stopped::log);
      }
    }
    try (Service killed = container.start()) {
      try (ContractSubject.Half _ = half(killed)) {
        killed.kill();
      }
    }
    Answer made;
    try (Service next = container.start()) {
      made = make(next);
      subject.assertMade(volume, made);
      next.kill();
    }
    try (Service finding = container.start()) {
      assertEquals(made.text(), finding.volume(JSON).expect(200).text());
      assertEquals(
          made.text(), finding.http().put("/volume", new byte[0], JSON).expect(200).text());
      subject.assertMade(volume, made);
      finding.http().delete("/volume").expect(204);
      VolumeContractTest.assertNothingIn(volume);
      assertEquals(TERMINATED, finding.stop(), finding::log);
    }
  }

  /// Checks that the process has an ordinary user and no capability, and that its root file system
  /// is read-only.
  private static void assertConfined(Service service) throws IOException {
    Path process = Path.of("/proc", Long.toString(service.pid()));
    Map<String, String> status = new HashMap<>();
    for (String line : Files.readAllLines(process.resolve("status"))) {
      String[] field = line.split(":\\s*", 2);
      status.put(field[0], field[1]);
    }
    String user = String.join("\t", Collections.nCopies(4, Integer.toString(Container.USER)));
    assertEquals(user, status.get("Uid"));
    assertEquals(user, status.get("Gid"));
    for (String set : List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) {
      assertEquals("0000000000000000", status.get(set), set);
    }
    assertEquals("1", status.get("NoNewPrivs"));
    assertEquals("2", status.get("Seccomp"), "2 is SECCOMP_MODE_FILTER");
    String mounts = Files.readString(process.resolve("mounts"));
    assertTrue(mounts.lines().anyMatch(line -> line.matches("\\S+ / \\S+ ro[, ].*")), mounts);
    assertFalse(mounts.contains(" /tmp "), mounts);
  }

  @Test
  void aJobEndsWhenTheDiskIsComplete() throws Exception {
    Path message = work.resolve("termination-log");
    try (Service job = subject.container(volume).beginOnce(message)) {
      subject.feed(job);
      assertEquals(CopyOutcome.EX_OK, job.awaitExit(LIMIT), job::log);
    }
    JsonNode result = result(message);
    assertEquals("Ready", result.path("phase").asText(), result::toString);
    assertEquals(CopyOutcome.EX_OK, result.path("exitCode").asInt(-1), result::toString);
    // A service that starts after the Job finds the Job's volume.
    try (Service service = subject.container(volume).start()) {
      Answer found = service.volume(JSON).expect(200);
      assertEquals(result.path("source"), found.json(), result::toString);
      subject.assertMade(volume, found);
    }
  }

  @Test
  void aJobEndsWhereTheSourceCannotBeUsed() throws Exception {
    Path message = work.resolve("termination-log");
    try (Service job = subject.refusing(volume).beginOnce(message)) {
      subject.feedRefused(job);
      assertEquals(subject.refusal().exit(), job.awaitExit(LIMIT), job::log);
    }
    JsonNode result = result(message);
    assertEquals("Failed", result.path("phase").asText(), result::toString);
    assertEquals(subject.refusal().exit(), result.path("exitCode").asInt(), result::toString);
    JsonNode failure = result.path("failure");
    assertEquals(subject.refusal().status(), failure.path("status").asInt(), result::toString);
    assertTrue(
        failure.path("type").asText().endsWith(":" + subject.refusal().type()), result::toString);
    assertFalse(failure.path("retryable").asBoolean(true), result::toString);
    VolumeContractTest.assertNothingIn(volume);
  }

  @Test
  void aStoppedJobLeavesNothing() throws Exception {
    Path message = work.resolve("termination-log");
    subject.hold();
    try (Service job = subject.container(volume).beginOnce(message)) {
      try (ContractSubject.Half half = subject.half(job)) {
        half.await();
        assertEquals(TERMINATED, job.stop(), job::log);
      }
    }
    JsonNode result = result(message);
    assertTrue(result.path("exitCode").isMissingNode(), result::toString);
    assertTrue(result.path("failure").path("retryable").asBoolean(), result::toString);
    VolumeContractTest.assertNothingIn(volume);
  }

  /// Requests a volume, and waits until the source has sent about half of its bytes.
  private static ContractSubject.Half half(Service service)
      throws IOException, InterruptedException {
    subject.hold();
    service.http().put("/volume", new byte[0], "Prefer", "respond-async").expect(202);
    ContractSubject.Half half = subject.half(service);
    half.await();
    return half;
  }

  private static Answer make(Service service)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<Answer> asked = service.http().putLater("/volume", JSON);
    subject.feed(service);
    return asked.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /// Returns the JSON result in the last line of the termination message. The message must have two
  /// lines.
  private static JsonNode result(Path message) throws IOException {
    assertTrue(Files.size(message) <= MAX_MESSAGE, () -> "length of " + message);
    String text = Files.readString(message);
    assertEquals(2, text.lines().count(), text);
    return Json.text(text.lines().toList().getLast());
  }
}
