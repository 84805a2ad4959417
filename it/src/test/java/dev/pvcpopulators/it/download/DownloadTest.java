package dev.pvcpopulators.it.download;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Nginx;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.copy.CopyJob;
import dev.pvcpopulators.it.copy.CuttingProxy;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Checks downloads of a qcow2 image from nginx. After a download, the volume contains the correct
/// disk or nothing.
@Tag("tools")
final class DownloadTest {
  private static final String NAME = "disk.qcow2";
  private static final Seed SEED = Seed.of("DownloadTest");

  private static @TempDir Path shared;
  private static Path image;

  private @TempDir Path work;
  private VolumeDirectory volume;

  @BeforeAll
  static void make() throws IOException, InterruptedException {
    image = Recipe.qcow2().getFirst().make(shared, SEED.random());
  }

  @BeforeEach
  void emptyVolume() throws IOException {
    volume = VolumeDirectory.in(work, "volume");
  }

  /// Starts an nginx server that serves the image.
  ///
  /// @param directives additional directives for the `server` block of nginx
  private Nginx nginx(String directives) throws IOException, InterruptedException {
    Nginx nginx = Nginx.open(Files.createDirectory(work.resolve("nginx")), directives);
    Files.copy(image, nginx.file(NAME));
    return nginx;
  }

  private CopyJob job(String address) {
    return CopyJob.of("http://" + address + "/" + NAME, address, volume.path(), work);
  }

  private void assertMade(CopyOutcome outcome) throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, "qcow2", volume.disk());
    assertEquals(Files.size(image), outcome.result().path("bytesIn").asLong(), outcome::toString);
  }

  private static String sha512(Path file) throws IOException {
    return Command.run("sha512sum", file.toString()).split(" ", 2)[0];
  }

  @Test
  void resumesByRanges() throws IOException, InterruptedException {
    int cuts = Rounds.of(5, 50);
    try (Nginx nginx = nginx("");
        CuttingProxy proxy =
            CuttingProxy.before(nginx.port(), SEED.random(1), cuts, Files.size(image))) {
      Files.writeString(nginx.file("SHA512SUMS"), sha512(image) + "  " + NAME + "\n");
      CopyOutcome outcome =
          job(proxy.address())
              .with("HTTP_COPY_CHECKSUMS_URL", "http://" + proxy.address() + "/SHA512SUMS")
              .run()
              .ok();
      assertMade(outcome);
      assertEquals(cuts, proxy.cuts(), "broken connections");
      assertTrue(outcome.details().path("restarts").isMissingNode(), outcome::toString);
      assertEquals("sha512:" + sha512(image), outcome.result().path("sourceDigest").asText());
      assertTrue(
          nginx.requests().stream().anyMatch(line -> line.startsWith("206 ")),
          nginx.requests()::toString);
      // A Job with another URL refuses the volume, because the volume contains a disk.
      CopyOutcome again = job(nginx.address()).run();
      assertEquals(CopyOutcome.EX_CANTCREAT, again.exit(), "another URL: " + again);
    }
  }

  @Test
  @Tag("nightly")
  void restartsWithoutRanges() throws IOException, InterruptedException {
    try (Nginx nginx = nginx("max_ranges 0;");
        CuttingProxy proxy =
            CuttingProxy.before(nginx.port(), SEED.random(2), 1, Files.size(image))) {
      CopyOutcome outcome = job(proxy.address()).run().ok();
      assertMade(outcome);
      assertEquals(1, outcome.details().path("restarts").asInt(), outcome::toString);
    }
  }

  @Test
  void findsItsDiskAgain() throws IOException, InterruptedException {
    try (Nginx nginx = nginx("")) {
      CopyOutcome dry = job(nginx.address()).run("--dry-run");
      assertEquals(CopyOutcome.EX_OK, dry.exit(), dry::toString);
      for (String said :
          List.of("ranges: bytes", "resumes: true", "format: qcow2", "virtualSize: ")) {
        assertTrue(dry.log().contains(said), dry::toString);
      }
      volume.assertEmpty();
      assertMade(job(nginx.address()).run().ok());
      JsonNode skipped = job(nginx.address()).run().ok().details().path("skipped");
      assertTrue(skipped.asBoolean(), "skipped");
    }
  }

  @Test
  @Tag("nightly")
  void takesTheFileThatReplacesAnother() throws IOException, InterruptedException {
    Path other =
        Recipe.raw().getFirst().make(Files.createDirectory(work.resolve("o")), SEED.random(3));
    try (Nginx nginx = nginx("");
        Valve valve = Valve.before(nginx.port()).only(Files.size(image) / 2);
        Service job = job(valve.address()).begin()) {
      valve.awaitHolding();
      Path next = Files.copy(other, nginx.file("next"));
      Files.move(next, nginx.file(NAME), StandardCopyOption.ATOMIC_MOVE);
      valve.cut(Valve.Cut.RESET, 0);
      valve.open();
      assertEquals(CopyOutcome.EX_OK, job.awaitExit(CopyJob.LIMIT), job::log);
      volume.assertOneDisk();
      QemuImg.assertIdentical(other, "raw", volume.disk());
    }
  }

  @Test
  @Tag("nightly")
  void waitsForASlowServer() throws IOException, InterruptedException {
    try (Nginx nginx = nginx("");
        Valve valve = Valve.before(nginx.port()).rate(Files.size(image) / 3)) {
      assertMade(job(valve.address()).with("HTTP_COPY_IDLE_TIMEOUT", "2s").run().ok());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "return 404;, 66, source-not-found",
    "return 401;, 77, source-denied",
    "return 403;, 77, source-denied",
    "add_header Retry-After 0 always; return 429;, 75, source-unavailable",
    "types { text/html qcow2; }, 65, unsupported-source"
  })
  @Tag("nightly")
  void leavesNothing(String directive, int exit, String type)
      throws IOException, InterruptedException {
    try (Nginx nginx = nginx("location / { " + directive + " }")) {
      CopyOutcome outcome = job(nginx.address()).run().expect(exit);
      assertTrue(outcome.result().toString().contains(type), outcome::toString);
      volume.assertEmpty();
    }
  }

  @Test
  @Tag("nightly")
  void refusesAnotherChecksum() throws IOException, InterruptedException {
    try (Nginx nginx = nginx("")) {
      CopyOutcome outcome =
          job(nginx.address())
              .with("HTTP_COPY_SHA256", "0".repeat(64))
              .run()
              .expect(CopyOutcome.EX_DATAERR);
      assertTrue(outcome.result().toString().contains("digest-mismatch"), outcome::toString);
      volume.assertEmpty();
    }
  }

  /// The servers' certificates come from a private certificate authority. The Job follows a
  /// redirect to another host, but sends no credentials to that host. The Job refuses a redirect to
  /// plain HTTP.
  @Test
  void followsRedirectsByHttps() throws IOException, InterruptedException {
    PrivateAuthority authority = PrivateAuthority.in(work, "authority");
    PrivateAuthority.Issued issued = authority.issue("server", "IP:127.0.0.1,DNS:localhost");
    Path token = Files.writeString(work.resolve("token"), "s3cret");
    Path other = Files.createDirectory(work.resolve("other"));
    try (Nginx plain = nginx("");
        Nginx storage = Nginx.secure(other, issued, "");
        Nginx server =
            Nginx.secure(
                Files.createDirectory(work.resolve("server")),
                issued,
                "location /away/ { rewrite ^/away/(.*) https://localhost:%d/$1 redirect; }"
                        .formatted(storage.port())
                    + "location /down/ { rewrite ^/down/(.*) http://127.0.0.1:%d/$1 redirect; }"
                        .formatted(plain.port()))) {
      Files.copy(image, storage.file(NAME));
      CopyJob job =
          job(plain.address())
              .with("HTTP_COPY_CA_FILE", authority.certificate().toString())
              .with("HTTP_COPY_TOKEN_FILE", token.toString());
      String base = "https://" + server.address();
      CopyOutcome down =
          job.with("HTTP_COPY_URL", base + "/down/" + NAME).run().expect(CopyOutcome.EX_TEMPFAIL);
      assertTrue(
          down.reason().contains("which is not HTTPS, although the server itself is"),
          down::toString);
      volume.assertEmpty();
      assertMade(job.with("HTTP_COPY_URL", base + "/away/" + NAME).run().ok());
      assertTrue(server.requests().getLast().contains("Bearer s3cret"), "credentials");
      assertFalse(storage.requests().toString().contains("s3cret"), "credentials");
      assertEquals(List.of(), plain.requests());
    }
  }
}
