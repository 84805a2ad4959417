package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `--once`: one upload, an exit code of sysexits.h, and a termination message.
final class JobTest {
  private static final int EX_DATAERR = 65;
  private static final int EX_CANTCREAT = 73;
  private static final int MAX_MESSAGE = 4096;

  private Path work = Path.of("");
  private VolumeDirectory volume = new VolumeDirectory(work);
  private Path message = work;

  @BeforeEach
  void prepare(@TempDir Path directory) throws IOException {
    work = directory;
    volume = VolumeDirectory.in(directory, "volume");
    message = directory.resolve("termination-log");
  }

  @Test
  void endsWith0WhenTheDiskIsThere() throws IOException, InterruptedException {
    Path disk = Recipe.qcow2().getFirst().make(work, Seed.of("JobTest").random());
    try (Service job = start(volume.path())) {
      Curl.upload(disk, job.uri("/upload/")).expect(201);
      assertEquals(0, job.awaitExit(), job::log);
    }
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "qcow2", volume.disk());
    assertEquals(
        "some-pvc-name",
        result().path("source").path("pvc").path("claimname").asText(),
        this::text);
  }

  @Test
  void endsWith65WhenTheImageIsDamaged() throws IOException, InterruptedException {
    Path disk = Recipe.qcow2().getFirst().make(work, Seed.of("JobTest").random());
    byte[] bytes = Files.readAllBytes(disk);
    try (Service job = start(volume.path())) {
      job.http().put("/upload", Arrays.copyOf(bytes, bytes.length / 2)).expect(422);
      assertEquals(EX_DATAERR, job.awaitExit(), job::log);
    }
    volume.assertEmpty();
    assertEquals(422, result().path("failure").path("status").asInt(), this::text);
  }

  @Test
  void endsWith73WhenTheDiskDoesNotFit() throws IOException, InterruptedException {
    Path disk = work.resolve("large.qcow2");
    QemuImg.create(disk, "qcow2", "", "1T");
    try (Ext4Volume small = Ext4Volume.of(work, "small", 32L << 20)) {
      try (Service job = start(small.directory().path())) {
        Curl.upload(disk, job.uri("/upload/")).expect(413).problem();
        assertEquals(EX_CANTCREAT, job.awaitExit(), job::log);
      }
      small.directory().assertEmpty();
    }
    assertTrue(result().path("failure").path("requiredBytes").asLong() > 0, this::text);
  }

  private Service start(Path target) throws IOException, InterruptedException {
    return Launch.on(target).once().with("POPULATOR_TERMINATION_LOG", message.toString()).start();
  }

  /// The last line of the termination message.
  private JsonNode result() throws IOException {
    assertTrue(Files.size(message) <= MAX_MESSAGE);
    List<String> lines = Files.readAllLines(message);
    return new ObjectMapper().readTree(lines.getLast());
  }

  private String text() {
    try {
      return Files.readString(message);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
