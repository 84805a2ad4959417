package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that `run.sh` boots the machine of a real image, and that the image's process runs as in
/// a container.
@Tag("nightly")
final class LayersBootTest {
  @TempDir private Path work = Path.of("");

  /// Returns a Job that makes one more machine of a real image in the shared volume. The volume
  /// already contains the image's layers.
  private LayersJob machine(String image, String name) throws IOException, InterruptedException {
    RealImages.converted(image);
    return LayersJob.into(RealImages.volume().path(), work)
        .from(RealImages.reference(image))
        .named(name);
  }

  /// Runs a Job, and boots its machine. The Job must find all layers of its image in the volume;
  /// otherwise, the test fails.
  private static LayersMachine boot(LayersJob job, String name, Map<String, String> settings)
      throws IOException, InterruptedException {
    CopyOutcome outcome = job.run().ok();
    assertEquals(
        outcome.details().path("layers").asInt(),
        outcome.details().path("sharedLayers").asInt(),
        outcome::toString);
    return LayersMachine.boot(RealImages.volume().image(name), settings);
  }

  private static LayersMachine boot(LayersJob job, String name)
      throws IOException, InterruptedException {
    return boot(job, name, Map.of());
  }

  /// Two servers run at the same time. The power button stops each server with the stop signal of
  /// its image.
  @Test
  void serversAnswerAndEndByThePowerButton() throws IOException, InterruptedException {
    int python = FreePort.any();
    int nginx = FreePort.any();
    try (LayersMachine first =
            boot(
                machine("python", "python-server"),
                "python-server",
                Map.of("PORT_8080", Integer.toString(python)));
        LayersMachine second =
            boot(
                machine("nginx", "nginx-server"),
                "nginx-server",
                Map.of("PORT_80", Integer.toString(nginx)))) {
      // The process of the Python image runs as www-data, the user of this image. After SIGTERM,
      // the process exits with 42.
      first.await("python: uid 33 in /var/www/html says hello world");
      assertEquals("served by python\n", LayersMachine.get(python, "/index.txt"));
      assertEquals("served by nginx\n", LayersMachine.get(nginx, "/"));
      first.powerOff();
      second.powerOff();
      first.ends(42);
      second.ends(0);
    }
  }

  @Test
  void anImageWithoutAShellRuns() throws IOException, InterruptedException {
    try (LayersMachine machine = boot(machine("busybox", "app"), "app")) {
      String output = machine.ends(0);
      assertTrue(output.contains("app runs as 65532:65532"), output);
    }
  }

  @Test
  void reportsAMissingProgram() throws IOException, InterruptedException {
    LayersJob job = machine("busybox", "missing").set("ENTRYPOINT", "/no/such/program");
    try (LayersMachine machine = boot(job, "missing")) {
      machine.ends(127);
    }
  }

  /// A program of a database image runs as the image's user, with the image's environment.
  @Test
  void postgresTellsItsVersion() throws IOException, InterruptedException {
    LayersJob job =
        machine("postgres", "version")
            .set(
                "ENTRYPOINT",
                "[\"sh\", \"-c\", \"id -un; postgres --version; pwd; printenv PGDATA; exit 1\"]")
            .set("DATA_SIZE", "1G");
    try (LayersMachine machine = boot(job, "version")) {
      String output = machine.ends(1);
      assertTrue(output.contains("postgres\npostgres (PostgreSQL) 15."), output);
      assertTrue(output.contains("/var/lib/postgresql/data"), output);
    }
  }

  /// The process gets the command and the environment variables of the settings unchanged, and also
  /// the environment variables of the image. File capabilities work.
  @Test
  void theProcessGetsItsArguments() throws IOException, InterruptedException {
    String torture = "a  b'c\"d\\e$f`g`$$${HOME}\nsecond line\tÄ€😀 ";
    String script =
        """
        printf '<%s>\\n' "$TORTURE" "$EMPTY" "$DEBIAN_FRONTEND"
        id -u; id -g; pwd; hostname; echo pid $$
        ping -c 1 -W 5 10.0.2.2 >/dev/null && echo pinged
        getcap /bin/ping /bin/busybox | sort
        cat /srv/links/third; stat -c '%a %u %g' /srv/setuid
        test -p /srv/fifo && test -e /srv/kept/Grüße && echo seen
        touch /tmp/file && echo written
        exit 137
        """;
    LayersJob job =
        machine("minbase", "torture")
            .set("ENVIRONMENT", Json.list(List.of("TORTURE=" + torture, "EMPTY=")))
            .set("COMMAND", Json.list(List.of("/bin/sh", "-c", script)))
            .set("USER", "nobody:www-data")
            .set("WORKING_DIRECTORY", "/srv/made here");
    try (LayersMachine machine = boot(job, "torture")) {
      String output = machine.ends(137);
      assertTrue(
          output.contains(
              "<"
                  + torture
                  + ">\n<>\n<noninteractive>\n65534\n33\n/srv/made here\ntorture\npid 1\npinged\n"),
          output);
      assertTrue(output.contains("/bin/busybox cap_net_bind_service,cap_net_admin=ep\n"), output);
      assertTrue(output.contains("linked\n6755 1000 1000\nseen\nwritten"), output);
    }
  }

  @Test
  void anUnknownUserIsAClearError() throws IOException, InterruptedException {
    CopyOutcome outcome =
        machine("minbase", "stranger")
            .set("USER", "no-such-user")
            .run()
            .expect(CopyOutcome.EX_DATAERR);
    assertTrue(outcome.reason().contains("no-such-user"), outcome::toString);
  }
}
