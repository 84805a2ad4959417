package dev.pvcpopulators.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Nginx;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.container.Container;
import dev.pvcpopulators.it.disk.LoopDevice;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import dev.pvcpopulators.it.image.Skopeo;
import dev.pvcpopulators.it.layers.LayersMachine;
import dev.pvcpopulators.it.layers.RealImages;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs the use cases from the services' READMEs. The services run in containers.
@Tag("tools")
final class JourneysTest {
  private static final Seed SEED = Seed.of("JourneysTest");
  private static final String OCTETS = "application/octet-stream";
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final String TOKEN = "a-token-of-a-person";
  private static final String SECRETS = "/run/secrets/populator";

  @TempDir private Path work = Path.of("");

  /// Uploads with HTTPS and a token, interrupts and resumes the upload with curl, and deletes the
  /// volume.
  @Test
  void aUserUploadsADisk() throws IOException, InterruptedException {
    Path disk = Recipe.named("qcow2 compressed, zstd").make(work, SEED.random());
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    PrivateAuthority authority = PrivateAuthority.in(work, "authority");
    PrivateAuthority.Issued issued = authority.issue("tls", "DNS:localhost");
    Path secrets = Files.createDirectory(work.resolve("secrets"));
    Files.copy(issued.certificate(), secrets.resolve("tls.crt"));
    Files.copy(issued.key(), secrets.resolve("tls.key"));
    Files.writeString(secrets.resolve("token"), TOKEN);
    Command.run("chown", "-R", Integer.toString(Container.USER), secrets.toString());
    int port = FreePort.any();
    Container container =
        Container.on("http-upload", volume.path())
            .shipped()
            .mount(secrets, SECRETS, false)
            .with("POPULATOR_TOKEN_FILE", SECRETS + "/token")
            .with("POPULATOR_TLS_CERTIFICATE", SECRETS + "/tls.crt")
            .with("POPULATOR_TLS_KEY", SECRETS + "/tls.key")
            .with("POPULATOR_TLS_PORT", Integer.toString(port));
    try (Service service = container.start()) {
      Person person =
          new Person("https://localhost:" + port, authority.certificate(), "Bearer " + TOKEN);
      long length = Files.size(disk);
      Process cut =
          Curl.begin(
              disk,
              URI.create(person.base() + "/upload/"),
              person.options("--limit-rate", Long.toString(length / 10)));
      try {
        service.await(
            "some of the disk",
            () ->
                Optional.of(person.head("/upload").number("upload-offset").orElse(0))
                    .filter(offset -> offset > 0));
      } finally {
        cut.destroyForcibly().onExit().join();
      }
      assertTrue(Files.notExists(volume.disk()), "half a disk");
      // The service refuses a second upload until the service detects the end of the first
      // connection.
      service.await(
          "the rest of the disk",
          () -> {
            long offset = person.head("/upload").number("upload-offset").orElse(length);
            assertTrue(offset < length, "the upload was not interrupted");
            Curl.Result rest = person.upload(disk, "/upload/", "-C", Long.toString(offset));
            if (rest.answer().status() == 409
                && rest.answer().problem().path("retryable").asBoolean()) {
              return Optional.empty();
            }
            return Optional.of(rest.expect(201));
          });
      volume.assertOneDisk();
      QemuImg.assertIdentical(disk, "qcow2", volume.disk());
      assertEquals(
          "pvc:\n  claimname: some-pvc-name\n", person.ask("GET", "/volume").expect(200).text());
      person.ask("DELETE", "/volume").expect(204);
      volume.assertEmpty();
      assertEquals(143, service.stop(), service::log);
    }
  }

  /// Runs a Job for a Filesystem volume, a Job for a Block volume, and a Job for a layer with a
  /// digest mismatch.
  @Test
  void aJobCopiesADiskOutOfAnImage() throws IOException, InterruptedException {
    Path disk = Recipe.named("qcow2 compressed, zlib").make(work, SEED.random(1));
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, disk);
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    try (Registry registry = Registry.open(work.resolve("registry"));
        LoopDevice device = LoopDevice.full(work.resolve("device"), 96L << 20)) {
      registry.push(layout, ImageLayout.LATEST, "disks/one:latest");
      // A Job considers a device empty if the first MiB contains only zeros, even if old data
      // follows.
      Command.run("dd", "if=/dev/zero", "of=" + device.device(), "bs=1M", "count=1", "status=none");
      for (Container container :
          List.of(
              Container.on("registry-copy", volume.path()).shipped(),
              Container.on("registry-copy", device).shipped())) {
        Container.Ended ended =
            container
                .with("REGISTRY_COPY_IMAGE", registry.image("disks/one:latest"))
                .with("REGISTRY_COPY_INSECURE_REGISTRIES", registry.address())
                .once(LIMIT);
        JsonNode details = ended.expect(CopyOutcome.EX_OK).details();
        assertEquals(
            layout.tagged(ImageLayout.LATEST).digest(),
            details.path("digest").asText(),
            ended::toString);
      }
      volume.assertOneDisk();
      QemuImg.assertIdentical(disk, "qcow2", volume.disk());
      Path block = Files.createFile(work.resolve("block"));
      Command.run("dd", "if=" + device.device(), "of=" + block, "bs=1M", "count=64", "status=none");
      QemuImg.assertIdentical(disk, "qcow2", block);
    }
    Content layer = layout.layers(ImageLayout.LATEST).getFirst();
    byte[] wrong = Files.readAllBytes(layout.path(layer));
    wrong[wrong.length / 2] ^= 1;
    VolumeDirectory other = VolumeDirectory.in(work, "other");
    try (LyingRegistry liar = LyingRegistry.of(layout)) {
      liar.lies(layer.digest(), LyingRegistry.bytes(OCTETS, wrong));
      Container.on("registry-copy", other.path())
          .shipped()
          .with("REGISTRY_COPY_IMAGE", liar.image(ImageLayout.LATEST))
          .with("REGISTRY_COPY_INSECURE_REGISTRIES", liar.address())
          .with("REGISTRY_COPY_RETRIES", "1")
          .once(LIMIT)
          .expect(CopyOutcome.EX_DATAERR);
      other.assertEmpty();
    }
  }

  /// A Job downloads a disk from a URL, and verifies the disk with a list of checksums.
  @Test
  void aJobDownloadsADisk() throws IOException, InterruptedException {
    Path disk = Recipe.named("qcow2 compressed, zlib").make(work, SEED.random(1));
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    try (Nginx server = Nginx.open(Files.createDirectory(work.resolve("web")), "")) {
      Files.copy(disk, server.file("disk.qcow2"));
      String sum = Command.run("sha512sum", disk.toString()).split(" ", 2)[0];
      Files.writeString(server.file("SHA512SUMS"), sum + "  disk.qcow2\n");
      String base = "http://" + server.address();
      Container.Ended ended =
          Container.on("http-copy", volume.path())
              .shipped()
              .with("HTTP_COPY_URL", base + "/disk.qcow2")
              .with("HTTP_COPY_CHECKSUMS_URL", base + "/SHA512SUMS")
              .with("HTTP_COPY_INSECURE_HOSTS", server.address())
              .once(LIMIT);
      JsonNode details = ended.expect(CopyOutcome.EX_OK).details();
      assertEquals("sha512:" + sum, details.path("checksum").asText(), ended::toString);
      volume.assertOneDisk();
      QemuImg.assertIdentical(disk, "qcow2", volume.disk());
    }
  }

  /// The LUN answers commands before the complete image has arrived.
  @Test
  void aMachineReadsADiskThatIsStillBeingPulled() throws IOException, InterruptedException {
    // qemu-img writes the clusters in the order of their offsets in the disk. Therefore the first
    // half of the image contains the first sector.
    Path disk = Recipe.named("qcow2 compressed, zlib").make(work, SEED.random(2));
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, disk);
    long length = layout.layers(ImageLayout.LATEST).getFirst().size();
    Path cache = Files.createDirectory(work.resolve("cache"));
    int port = FreePort.any();
    try (Registry registry = Registry.open(work.resolve("registry"))) {
      registry.push(layout, ImageLayout.LATEST, "disks/two:latest");
      try (Valve valve = Valve.before(registry.port()).only(length / 2);
          Service service =
              Container.on(StreamLaunch.NAME, cache)
                  .shipped()
                  .with("REGISTRY_STREAM_ISCSI_IMAGE", valve.image("disks/two:latest"))
                  .with("REGISTRY_STREAM_ISCSI_INSECURE_REGISTRIES", valve.address())
                  .with("REGISTRY_STREAM_ISCSI_HOST", "127.0.0.1")
                  .with("REGISTRY_STREAM_ISCSI_PORT", Integer.toString(port))
                  .start()) {
        IscsiLun lun = StreamLaunch.put(service);
        assertTrue(lun.inquiry().ok().out().contains("DIRECT_ACCESS"), lun::toString);
        assertTrue(lun.list().ok().out().contains("Lun:0 "), lun::toString);
        assertTrue(lun.info().contains("virtual size: 64 MiB"), lun::toString);
        lun.io("write -P 7 60M 4k", "read -P 7 60M 4k", "read 0 4k").ok();
        assertTrue(service.status().path("bytesIn").asLong() < length, "it cannot be complete");
        valve.open();
        Path written = Files.copy(disk, work.resolve("written.qcow2"));
        QemuIo.run(written, "qcow2", List.of("write -q -P 7 60M 4k"));
        lun.assertHas(written, "qcow2");
        service.http().delete("/volume").expect(204);
        VolumeContractTest.assertNothingIn(cache);
      }
    }
  }

  @Test
  void anImageBecomesAMachine() throws IOException, InterruptedException {
    LayersVolume volume = LayersVolume.in(work, "store");
    try (Registry registry = Registry.open(work.resolve("registry"))) {
      Skopeo.copyVerbatim(RealImages.reference("busybox"), registry.image("web/app:1"));
      Container.on("image-to-qcow2-layers", volume.path())
          .shipped()
          .with("IMAGE_TO_QCOW2_LAYERS_IMAGE", registry.image("web/app:1"))
          .with("IMAGE_TO_QCOW2_LAYERS_INSECURE_REGISTRIES", registry.address())
          .once(LIMIT)
          .expect(CopyOutcome.EX_OK);
    }
    volume.assertSound();
    try (LayersMachine machine = LayersMachine.boot(volume.image("app-1"))) {
      String output = machine.ends(0);
      assertTrue(output.contains("app runs as 65532:65532"), output);
    }
  }

  /// An HTTP client that runs curl with a CA certificate and a token.
  private record Person(String base, Path authority, String authorization) {
    String[] options(String... more) {
      String[] own = {"--cacert", authority.toString(), "-H", "Authorization: " + authorization};
      String[] all = Arrays.copyOf(own, own.length + more.length);
      System.arraycopy(more, 0, all, own.length, more.length);
      return all;
    }

    Answer ask(String method, String path) throws IOException, InterruptedException {
      return Curl.ask(base + path, List.of(options("-X", method)));
    }

    Answer head(String path) throws IOException, InterruptedException {
      return Curl.ask(base + path, List.of(options("-I")));
    }

    Curl.Result upload(Path file, String path, String... more)
        throws IOException, InterruptedException {
      return Curl.upload(file, URI.create(base + path), options(more));
    }
  }
}
