package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.QemuImg;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks how a Job fails if the uploaded disk does not fit into the volume. `LifeContractTest`
/// tests the exit statuses of all services.
@Tag("tools")
final class JobTest {
  @Test
  void endsWith73WhenTheDiskDoesNotFit(@TempDir Path work)
      throws IOException, InterruptedException {
    Path message = work.resolve("termination-log");
    Path disk = work.resolve("large.qcow2");
    QemuImg.create(disk, "qcow2", "", "1T");
    try (Ext4Volume small = Ext4Volume.of(work, "small", 32L << 20)) {
      Launch launch =
          Launch.on(small.directory().path())
              .once()
              .with("POPULATOR_TERMINATION_LOG", message.toString());
      try (Service job = launch.start()) {
        Curl.upload(disk, job.uri("/upload/")).expect(413).problem("exceeds-volume");
        assertEquals(CopyOutcome.EX_CANTCREAT, job.awaitExit(), job::log);
      }
      small.directory().assertEmpty();
    }
    JsonNode result = Json.text(Files.readAllLines(message).getLast());
    assertTrue(result.path("failure").path("requiredBytes").asLong() > 0, result::toString);
  }
}
