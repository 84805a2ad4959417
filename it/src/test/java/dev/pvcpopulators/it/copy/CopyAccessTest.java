package dev.pvcpopulators.it.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import dev.pvcpopulators.it.image.RegistryDoor;
import dev.pvcpopulators.it.image.TokenServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks copies from registries with access control.
@Tag("tools")
final class CopyAccessTest {
  private static final String USER = "disk-reader";
  private static final String PASSWORD = "s3cret-W0rd-of-the-test";
  private static final String IMAGE = "disks/private:latest";
  private static final Seed SEED = Seed.of("CopyAccessTest");

  private static Path shared;
  private static Path image;
  private static PrivateAuthority authority;
  private static TokenServer tokens;
  private static Registry basic;
  private static Registry token;

  @TempDir private Path work = Path.of("");
  private VolumeDirectory volume = new VolumeDirectory(work);

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    shared = directory;
    image = Recipe.qcow2().getFirst().make(directory, SEED.random());
    authority = PrivateAuthority.in(directory, "authority");
    tokens = TokenServer.start(directory, USER + ":" + PASSWORD, 60);
    Path storage = directory.resolve("registry");
    basic =
        Registry.start(
            storage,
            RegistryDoor.open()
                .basic(directory, USER, PASSWORD)
                .tls(authority.issue("registry", "IP:127.0.0.1")));
    token = Registry.start(storage, RegistryDoor.open().token(tokens));
    ImageLayout layout =
        ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP, image);
    try (Registry open = Registry.open(storage)) {
      open.push(layout, ImageLayout.LATEST, IMAGE);
    }
  }

  @AfterAll
  static void stop() {
    token.close();
    basic.close();
    tokens.close();
  }

  @BeforeEach
  void makeVolume() throws IOException {
    volume = VolumeDirectory.in(work, "volume");
  }

  @AfterEach
  void empty() throws IOException {
    Files.deleteIfExists(volume.disk());
    volume.assertEmpty();
  }

  @Test
  @Tag("nightly")
  void userAndPasswordOfTheEnvironment() throws IOException, InterruptedException {
    copies(basic().with("REGISTRY_COPY_USERNAME", USER).with("REGISTRY_COPY_PASSWORD", PASSWORD));
  }

  @Test
  @Tag("nightly")
  void userAndPasswordOfFiles() throws IOException, InterruptedException {
    // Many editors write a newline at the end of a file.
    Path user = Files.writeString(work.resolve("user"), USER + "\n");
    Path password = Files.writeString(work.resolve("password"), PASSWORD + "\n");
    copies(
        basic()
            .with("REGISTRY_COPY_USERNAME_FILE", user.toString())
            .with("REGISTRY_COPY_PASSWORD_FILE", password.toString()));
  }

  @Test
  void aMountedDockerConfigJson() throws IOException, InterruptedException {
    Path file = Files.writeString(work.resolve(".dockerconfigjson"), dockerConfig(PASSWORD));
    copies(basic().with("REGISTRY_COPY_AUTH_FILE", file.toString()));
  }

  @Test
  @Tag("nightly")
  void aDockerConfigDirectory() throws IOException, InterruptedException {
    Path directory = Files.createDirectory(work.resolve("docker"));
    Files.writeString(directory.resolve("config.json"), dockerConfig(PASSWORD));
    copies(basic().with("DOCKER_CONFIG", directory.toString()));
  }

  @Test
  @Tag("nightly")
  void aCredentialHelper() throws IOException, InterruptedException {
    Path directory = Files.createDirectory(work.resolve("docker"));
    Path helper = directory.resolve("docker-credential-it");
    Files.writeString(
        helper,
        "#!/bin/sh\ncat >/dev/null\necho '{\"Username\": \"%s\", \"Secret\": \"%s\"}'\n"
            .formatted(USER, PASSWORD));
    Files.setPosixFilePermissions(helper, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(
        directory.resolve("config.json"),
        "{\"credHelpers\": {\"%s\": \"it\"}}".formatted(basic.address()));
    copies(
        basic()
            .with("DOCKER_CONFIG", directory.toString())
            .with("PATH", directory + ":" + System.getenv("PATH")));
  }

  @Test
  @Tag("nightly")
  void wrongCredentialsAreDenied() throws IOException, InterruptedException {
    denied(basic().with("REGISTRY_COPY_USERNAME", USER).with("REGISTRY_COPY_PASSWORD", "wrong"));
    Path file = Files.writeString(work.resolve("config.json"), dockerConfig("wrong"));
    denied(basic().with("REGISTRY_COPY_AUTH_FILE", file.toString()));
    denied(token().with("REGISTRY_COPY_USERNAME", USER).with("REGISTRY_COPY_PASSWORD", "wrong"));
  }

  @Test
  void noCredentialsAreDenied() throws IOException, InterruptedException {
    denied(basic());
    denied(token());
  }

  @Test
  @Tag("nightly")
  void aTokenIsAskedForAndUsed() throws IOException, InterruptedException {
    int before = tokens.asked().size();
    copies(token().with("REGISTRY_COPY_USERNAME", USER).with("REGISTRY_COPY_PASSWORD", PASSWORD));
    List<TokenServer.Asked> asked = tokens.asked().subList(before, tokens.asked().size());
    assertEquals(1, asked.size(), asked::toString);
    String query = asked.getFirst().query();
    assertTrue(query.contains("service=" + TokenServer.SERVICE), query);
    assertTrue(query.contains("scope=repository:disks/private:pull"), query);
    assertFalse(query.contains("push"), query);
  }

  @Test
  @Tag("nightly")
  void usesAnonymousTokensIfTheServerPermitsThem() throws IOException, InterruptedException {
    Path place = Files.createDirectory(work.resolve("anonymous"));
    try (TokenServer anonymous = TokenServer.start(place, "", 60);
        Registry registry =
            Registry.start(shared.resolve("registry"), RegistryDoor.open().token(anonymous))) {
      copies(
          CopyJob.onto(volume.path(), work)
              .from(registry.image(IMAGE))
              .insecure(registry.address() + "," + anonymous.address()));
    }
  }

  /// The Job does not trust the authority of the registry's certificate. The Job does not retry the
  /// request, and reports the certificate as the reason.
  @Test
  void anUnknownAuthorityIsNotTrusted() throws IOException, InterruptedException {
    CopyOutcome outcome = CopyJob.onto(volume.path(), work).from(basic.image(IMAGE)).run();
    outcome.expect(CopyOutcome.EX_TEMPFAIL);
    assertTrue(
        outcome.reason().contains("certificate") || outcome.reason().contains("CA"),
        outcome::toString);
  }

  @Test
  void aCertificateForAnotherNameIsNotTrusted() throws IOException, InterruptedException {
    RegistryDoor door = RegistryDoor.open().tls(authority.issue("other", "DNS:other.test"));
    try (Registry registry = Registry.start(shared.resolve("registry"), door)) {
      CopyJob.onto(volume.path(), work)
          .from(registry.image(IMAGE))
          .with("REGISTRY_COPY_CA_FILE", authority.certificate().toString())
          .run()
          .expect(CopyOutcome.EX_TEMPFAIL);
    }
  }

  @Test
  void plainHttpIsOnlyForRegistriesThatAreNamed() throws IOException, InterruptedException {
    try (Registry registry = Registry.open(shared.resolve("registry"))) {
      CopyOutcome outcome =
          CopyJob.onto(volume.path(), work)
              .from(registry.image(IMAGE))
              .insecure("127.0.0.1:1")
              .with("REGISTRY_COPY_RETRIES", "1")
              .run();
      // EX_NOPERM states that a retry does not help.
      outcome.expect(CopyOutcome.EX_NOPERM);
      assertEquals(List.of(), registry.accesses(), "requests over plain HTTP");
    }
  }

  /// A registry may redirect requests for blobs to other hosts. These hosts must not receive the
  /// credentials.
  @Test
  void credentialsDoNotFollowARedirectToAnotherHost() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, image);
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    try (LyingRegistry elsewhere = LyingRegistry.of(layout);
        LyingRegistry front = LyingRegistry.of(layout)) {
      LyingRegistry.Lie away =
          LyingRegistry.status(
              307, "Location", "http://" + elsewhere.address() + "/v2/x/blobs/" + layer.digest());
      front.lies(layer.digest(), LyingRegistry.behind(USER + ":" + PASSWORD, away));
      front.lies(
          ImageLayout.LATEST,
          LyingRegistry.behind(
              USER + ":" + PASSWORD, exchange -> front.truth(exchange, ImageLayout.LATEST)));
      copies(
          CopyJob.onto(volume.path(), work)
              .from(front.image(ImageLayout.LATEST))
              .insecure(front.address() + "," + elsewhere.address())
              .with("REGISTRY_COPY_USERNAME", USER)
              .with("REGISTRY_COPY_PASSWORD", PASSWORD));
      List<LyingRegistry.Asked> asked = elsewhere.asked(layer.digest());
      assertEquals(1, asked.size(), asked::toString);
      assertEquals("", asked.getFirst().authorization(), "Authorization, elsewhere");
    }
  }

  private CopyJob basic() {
    return CopyJob.onto(volume.path(), work)
        .from(basic.image(IMAGE))
        .with("REGISTRY_COPY_CA_FILE", authority.certificate().toString());
  }

  private CopyJob token() {
    return CopyJob.onto(volume.path(), work)
        .from(token.image(IMAGE))
        .insecure(token.address() + "," + tokens.address());
  }

  private static String dockerConfig(String password) {
    String auth = Base64.getEncoder().encodeToString((USER + ":" + password).getBytes(UTF_8));
    return "{\"auths\": {\"%s\": {\"auth\": \"%s\"}}}".formatted(basic.address(), auth);
  }

  private void copies(CopyJob job) throws IOException, InterruptedException {
    CopyOutcome outcome = job.run().ok();
    assertKeepsTheSecret(outcome);
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, "qcow2", volume.disk());
  }

  private void denied(CopyJob job) throws IOException, InterruptedException {
    CopyOutcome outcome = job.run().expect(CopyOutcome.EX_NOPERM);
    assertKeepsTheSecret(outcome);
    volume.assertEmpty();
  }

  private static void assertKeepsTheSecret(CopyOutcome outcome) {
    String encoded = Base64.getEncoder().encodeToString((USER + ":" + PASSWORD).getBytes(UTF_8));
    String told = outcome.log() + outcome.message();
    assertFalse(told.contains(PASSWORD) || told.contains(encoded), "the password is in the log");
  }
}
