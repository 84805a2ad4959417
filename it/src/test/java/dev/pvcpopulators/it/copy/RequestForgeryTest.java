package dev.pvcpopulators.it.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the protection against server-side request forgery (SSRF). In such an attack, a client,
/// an image or a registry makes a service connect to a host that the service must not use.
@Tag("tools")
final class RequestForgeryTest {
  private static final String PASSWORD = "s3cret-W0rd-of-the-test";
  private static final String INSIDE = "what-only-the-inside-knows";
  private static final int EX_CONFIG = 78;
  private static final Seed SEED = Seed.of("RequestForgeryTest");

  private static ImageLayout layout;
  private static Content layer;

  @TempDir private Path work = Path.of("");
  private VolumeDirectory volume = new VolumeDirectory(work);

  @BeforeAll
  static void makeImage(@TempDir Path directory) throws IOException, InterruptedException {
    Path image = Recipe.qcow2().getFirst().make(directory, SEED.random());
    layout = ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, image);
    layer = layout.layers(ImageLayout.LATEST).getFirst();
  }

  @BeforeEach
  void makeVolume() throws IOException {
    volume = VolumeDirectory.in(work, "volume");
  }

  /// A registry on the internet redirects a request to an address or a name of this machine. The
  /// service connects to the registry through a proxy.
  @Test
  void aRedirectDoesNotLeadToThisMachine() throws IOException, InterruptedException {
    try (LyingRegistry inside = LyingRegistry.of(layout);
        LyingRegistry elsewhere = LyingRegistry.of(layout)) {
      for (String place :
          List.of(inside.address(), inside.address().replace("127.0.0.1", "localhost"))) {
        elsewhere.lies(
            layer.digest(),
            LyingRegistry.status(
                307, "Location", "http://" + place + "/v2/x/blobs/" + layer.digest()));
        refused(elsewhere, place);
        assertEquals(List.of(), inside.asked(layer.digest()));
      }
    }
  }

  @Test
  void aTokenServerIsNotSoughtOnThisMachine() throws IOException, InterruptedException {
    try (LyingRegistry inside = LyingRegistry.of(layout);
        LyingRegistry elsewhere = LyingRegistry.of(layout)) {
      String realm = "http://" + inside.address() + "/v2/x/blobs/" + layer.digest();
      elsewhere.lies(
          ImageLayout.LATEST,
          LyingRegistry.status(401, "WWW-Authenticate", "Bearer realm=\"" + realm + "\""));
      refused(elsewhere, inside.address());
      assertEquals(List.of(), inside.asked(layer.digest()));
    }
  }

  private void refused(LyingRegistry elsewhere, String place)
      throws IOException, InterruptedException {
    CopyOutcome outcome =
        CopyJob.onto(volume.path(), work)
            .from("docker://registry.invalid/disks/lies:" + ImageLayout.LATEST)
            .insecure("registry.invalid," + place)
            .with("HTTP_PROXY", "http://" + elsewhere.address())
            .with("REGISTRY_COPY_USERNAME", "disk-reader")
            .with("REGISTRY_COPY_PASSWORD", PASSWORD)
            .with("REGISTRY_COPY_RETRIES", "0")
            .run()
            .expect(CopyOutcome.EX_TEMPFAIL);
    assertTrue(outcome.reason().contains("which is on this machine"), outcome::toString);
    assertFalse(elsewhere.asked(ImageLayout.LATEST).isEmpty(), outcome::toString);
    volume.assertEmpty();
  }

  /// If a registry's answer is unexpected, the service shows the content of this answer neither to
  /// the client nor in the log.
  @Test
  void answersAreNotShownToClients() throws IOException, InterruptedException {
    try (LyingRegistry inside = LyingRegistry.of(layout);
        Service service =
            launch()
                .with("REGISTRY_COPY_INSECURE_REGISTRIES", inside.address())
                .with("REGISTRY_COPY_RETRIES", "0")
                .start()) {
      byte[] json = LyingRegistry.text("{\"" + INSIDE + "\": \"" + INSIDE + "\"}");
      byte[] errors = LyingRegistry.text("{\"errors\": [{\"code\": \"" + INSIDE + "\"}]}");
      List<LyingRegistry.Lie> answers =
          List.of(
              LyingRegistry.bytes("text/plain", LyingRegistry.text(INSIDE)),
              LyingRegistry.bytes("application/json", json),
              LyingRegistry.bytes(INSIDE + "/" + INSIDE, json),
              LyingRegistry.bytes("application/json", errors),
              LyingRegistry.status(500, INSIDE, INSIDE),
              LyingRegistry.status(
                  302, "Location", "ftp://a:" + INSIDE + "@b/" + INSIDE + "?" + INSIDE),
              LyingRegistry.status(302, "Location", "/" + INSIDE),
              LyingRegistry.status(401, "WWW-Authenticate", "Basic realm=\"" + INSIDE + "\""),
              LyingRegistry.status(200, "Docker-Content-Digest", INSIDE));
      for (LyingRegistry.Lie answer : answers) {
        inside.lies(ImageLayout.LATEST, answer);
        Answer told = put(service, inside.image(ImageLayout.LATEST));
        told.problem();
        assertFalse(told.text().contains(INSIDE), told::toString);
      }
      assertFalse(service.log().contains(INSIDE), service::log);
    }
  }

  @Test
  void onlyAllowedRegistriesAreAsked() throws IOException, InterruptedException {
    try (LyingRegistry other = LyingRegistry.of(layout);
        LyingRegistry allowed = LyingRegistry.of(layout);
        Service service =
            launch()
                .with(
                    "REGISTRY_COPY_INSECURE_REGISTRIES", allowed.address() + "," + other.address())
                .with(
                    "REGISTRY_COPY_ALLOWED_REGISTRIES",
                    "registry.example," + allowed.address() + "/disks")
                .start()) {
      put(service, other.image(ImageLayout.LATEST)).expect(403).problem("source-denied");
      put(service, allowed.image(ImageLayout.LATEST).replace("/disks/", "/others/"))
          .expect(403)
          .problem("source-denied");
      assertEquals(List.of(), other.asked(ImageLayout.LATEST));
      assertEquals(List.of(), allowed.asked(ImageLayout.LATEST));
      put(service, allowed.image(ImageLayout.LATEST)).expect(201);
    }
  }

  /// A Job refuses its image if `REGISTRY_COPY_ALLOWED_REGISTRIES` does not list the image's
  /// registry.
  @Test
  void theConfiguredImageMustBeOfAnAllowedRegistry() throws IOException, InterruptedException {
    CopyOutcome outcome =
        CopyJob.onto(volume.path(), work)
            .from("docker://registry.invalid/disk")
            .with("REGISTRY_COPY_ALLOWED_REGISTRIES", "registry.example")
            .run();
    assertEquals(EX_CONFIG, outcome.exit(), outcome::toString);
    assertTrue(outcome.message().contains("REGISTRY_COPY_ALLOWED_REGISTRIES"), outcome::toString);
  }

  private Launch launch() {
    return Launch.of("registry-copy", volume.path());
  }

  private static Answer put(Service service, String image)
      throws IOException, InterruptedException {
    return service
        .http()
        .put("/volume", ("image: " + image + "\n").getBytes(UTF_8), "Content-Type", "text/yaml");
  }
}
