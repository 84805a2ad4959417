package dev.pvcpopulators.kit.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.volume.Notation;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.quarkus.test.junit.main.LaunchResult;
import io.quarkus.test.junit.main.QuarkusMainLauncher;
import io.quarkus.test.junit.main.QuarkusMainTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Checks the whole application as a job.
@QuarkusMainTest
@TestProfile(JobModeTest.Job.class)
class JobModeTest {
  /// The settings of a job: a missing source, an HTTP address other than loopback, and no token. A
  /// job does not listen, so it needs no access control.
  public static final class Job implements QuarkusTestProfile {
    private static final Path LOG = log();

    private static Path log() {
      try {
        return Files.createTempDirectory("job-mode").resolve("termination-log");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of(
          "populator.mode", "job",
          "populator.token", "",
          "populator.termination-log", LOG.toString(),
          "quarkus.http.host", "0.0.0.0",
          "quarkus.package.main-class", PopulatorApplication.class.getName(),
          "fake.end", "failure");
    }
  }

  @Test
  void exitsWithTheFailuresCodeAndLeavesTheMessage(QuarkusMainLauncher launcher)
      throws IOException {
    LaunchResult result = launcher.launch();
    assertEquals(66, result.exitCode(), result.getOutput());
    List<String> message = Files.readAllLines(Job.LOG);
    assertTrue(message.getFirst().startsWith("Failed 100% 10 B of 10 B: "), message.getFirst());
    assertEquals(2, message.size(), "the reason is on one line");
    var document = Notation.JSON.read(message.getLast().getBytes(StandardCharsets.UTF_8));
    assertEquals(66, document.path("exitCode").asInt());
    assertEquals(404, document.at("/failure/status").asInt());
    assertTrue(!result.getOutput().contains("http://"), result.getOutput());
  }
}
