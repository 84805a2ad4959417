package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that a Job serves only its status and its health on the status port.
@Tag("tools")
final class StatusPortTest {
  private static final String TOKEN = "0123456789abcdef-status";
  private static final String IMAGE = "status:port";
  private static final int UNAVAILABLE_NOW = 75;
  private static final int CONFIG = 78;

  private @TempDir Path work;

  @Test
  void showsAJobsStatusToThoseWithItsToken() throws IOException, InterruptedException {
    Path disk = Recipe.raw().getFirst().make(work, Seed.of("StatusPortTest").random());
    ImageLayout layout = ImageLayout.containerDisk(work, "one", Family.OCI, Packing.GZIP, disk);
    long length = layout.layers(ImageLayout.LATEST).getFirst().size();
    Path token = Files.writeString(work.resolve("token"), TOKEN);
    try (Registry registry = Registry.open(work.resolve("registry"));
        Valve valve = Valve.before(registry.port())) {
      registry.push(layout, ImageLayout.LATEST, IMAGE);
      valve.only(length / 2);
      VolumeDirectory volume = VolumeDirectory.in(work, "volume");
      try (Service job =
          CopyJob.onto(volume.path(), work)
              .from(valve.image(IMAGE))
              .insecure(valve.address())
              .with("POPULATOR_STATUS_PORT", Integer.toString(FreePort.any()))
              .with("POPULATOR_TOKEN_FILE", token.toString())
              .begin()) {
        job.awaitListening();
        valve.awaitHolding();
        String bearer = "Bearer " + TOKEN;
        JsonNode status =
            job.http().get("/volume/status", "Authorization", bearer).expect(200).json();
        assertEquals("Transferring", status.path("phase").asText(), status::toString);
        job.http().get("/volume/status").expect(401);
        job.http().get("/q/health/live").expect(200);
        job.http().get("/volume", "Authorization", bearer).expect(404);
        job.http().delete("/volume", "Authorization", bearer).expect(404);
        job.http().delete("/volume/status", "Authorization", bearer).expect(405);
        job.http().get("/", "Authorization", bearer).expect(404);
        valve.open();
        assertEquals(0, job.awaitExit(CopyJob.LIMIT), job::log);
      }
      volume.assertOneDisk();
      QemuImg.assertIdentical(disk, "raw", volume.disk());
    }
  }

  @Test
  void isRefusedWhereItHasNoMeaning() throws IOException, InterruptedException {
    assertEquals(
        CONFIG,
        Launch.on(work).with("POPULATOR_STATUS_PORT", "8090").refused(),
        "a service has no port for its status alone");
    assertEquals(
        CONFIG,
        Launch.on(work).with("POPULATOR_STATUS_PORT", "8090").once().refused(),
        "a job of http-upload serves its status on the port of the upload");
  }

  @Test
  void namesTheSettingOfAPortThatIsTaken() throws IOException, InterruptedException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Service job =
            CopyJob.onto(VolumeDirectory.in(work, "volume").path(), work)
                .from("docker://127.0.0.1:1/none:1")
                .with("POPULATOR_STATUS_PORT", Integer.toString(taken.getLocalPort()))
                .begin()) {
      assertEquals(UNAVAILABLE_NOW, job.awaitExit(CopyJob.LIMIT), job::log);
      assertTrue(job.log().contains("set POPULATOR_STATUS_PORT to another"), job::log);
    }
  }
}
