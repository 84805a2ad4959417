package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.disk.Wrapping;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks copies of disks in OCI artifacts (image-spec 1.1, "Guidelines for Artifact Usage"). A
/// layer of such an artifact is a disk, not a tar archive.
@Tag("tools")
final class CopyArtifactsTest {
  private static final String TITLE = "org.opencontainers.image.title";
  private static final String EMPTY = "application/vnd.oci.empty.v1+json";
  private static final Seed SEED = Seed.of("CopyArtifactsTest");

  private static Path raw;
  private static Path qcow2;
  private static Path other;
  private static Registry registry;

  @TempDir private Path work = Path.of("");
  private VolumeDirectory volume = new VolumeDirectory(work);
  private @Nullable ImageLayout layout;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    registry = Registry.open(directory.resolve("registry"));
    raw = Recipe.raw().getFirst().make(directory, SEED.random());
    qcow2 = Recipe.named("qcow2 version 3, clusters of 64k").make(directory, SEED.random(1));
    Path place = Files.createDirectory(directory.resolve("other"));
    other = Recipe.named("qcow2 version 3, clusters of 4k").make(place, SEED.random(2));
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  @BeforeEach
  void makeVolume() throws IOException {
    volume = VolumeDirectory.in(work, "volume");
  }

  /// The format of KubeVirt's export: a raw disk, compressed with zstd, with its name and its size
  /// as annotations.
  @Test
  void aDiskThatKubeVirtExported() throws IOException, InterruptedException {
    Content layer =
        layout()
            .blob("application/vnd.kubevirt.disk.raw+zstd", Wrapping.ZSTD.wrap(raw))
            .annotated("io.kubevirt.disk.name", "rootdisk")
            .annotated("io.kubevirt.disk.size", Long.toString(Files.size(raw)));
    take("application/vnd.kubevirt.vm", List.of(layer), "artifacts/kubevirt");
    copies("artifacts/kubevirt:latest", raw, "raw");
  }

  /// The size in the annotation differs from the size of the disk.
  @Test
  @Tag("nightly")
  void anExportedDiskOfAnotherSizeIsRefused() throws IOException, InterruptedException {
    Content layer =
        layout()
            .blob("application/vnd.kubevirt.disk.raw+zstd", Wrapping.ZSTD.wrap(raw))
            .annotated("io.kubevirt.disk.name", "rootdisk")
            .annotated("io.kubevirt.disk.size", Long.toString(Files.size(raw) - 512));
    take("application/vnd.kubevirt.vm", List.of(layer), "artifacts/size");
    job("artifacts/size:latest").run().expect(CopyOutcome.EX_DATAERR);
    volume.assertEmpty();
  }

  /// The format of `oras push`: the layer is the file, and an annotation has the file's name.
  @Test
  void aFileThatOrasPushed() throws IOException, InterruptedException {
    Content layer = layout().blob("application/x-qemu-disk", qcow2).annotated(TITLE, "disk.qcow2");
    take("application/vnd.example.disk", List.of(layer), "artifacts/oras");
    copies("artifacts/oras:latest", qcow2, "qcow2");
  }

  /// The last component of `REGISTRY_COPY_PATH` is the title of the selected file.
  @Test
  @Tag("nightly")
  void theFileOfATitle() throws IOException, InterruptedException {
    Content one = layout().blob("application/x-qemu-disk", other).annotated(TITLE, "other.qcow2");
    Content two = layout().blob("application/x-qemu-disk", qcow2).annotated(TITLE, "disk.qcow2");
    take("application/vnd.example.disk", List.of(one, two), "artifacts/titles");
    job("artifacts/titles:latest").run().expect(CopyOutcome.EX_DATAERR);
    volume.assertEmpty();
    job("artifacts/titles:latest").with("REGISTRY_COPY_PATH", "/disk/disk.qcow2").run().ok();
    assertHas(qcow2, "qcow2");
  }

  /// The format of podman-machine's images: an index with one entry per hypervisor. An annotation
  /// of the entry names the hypervisor.
  @Test
  @Tag("nightly")
  void aDiskOfPodmanMachine() throws IOException, InterruptedException {
    Content wanted = machine("qemu", qcow2);
    Content applehv = machine("applehv", other);
    Content index = layout().index(Family.OCI, List.of(applehv, wanted));
    registry.take(layout(), "artifacts/machine", "5.0", List.of(applehv, wanted, index));
    copies("artifacts/machine:5.0", qcow2, "qcow2");

    Files.delete(volume.disk());
    job("artifacts/machine:5.0").with("REGISTRY_COPY_DISK_TYPE", "applehv").run().ok();
    assertHas(other, "qcow2");

    Files.delete(volume.disk());
    CopyOutcome refused =
        job("artifacts/machine:5.0")
            .with("REGISTRY_COPY_DISK_TYPE", "hyperv")
            .run()
            .expect(CopyOutcome.EX_DATAERR);
    assertTrue(refused.reason().contains("applehv"), refused::toString);
  }

  private Content machine(String type, Path disk) throws IOException, InterruptedException {
    Content layer =
        layout()
            .blob("application/zstd", Wrapping.ZSTD.wrap(disk))
            .annotated(TITLE, "podman-machine.x86_64." + type + ".qcow2.zst");
    return layout()
        .manifest(Family.OCI, "", emptyConfig(), List.of(layer))
        .forPlatform("x86_64")
        .annotated("disktype", type);
  }

  private void take(String artifactType, List<Content> layers, String repository)
      throws IOException, InterruptedException {
    Content manifest = layout().manifest(Family.OCI, artifactType, emptyConfig(), layers);
    registry.take(layout(), repository, "latest", List.of(manifest));
  }

  private Content emptyConfig() throws IOException {
    return layout().document(EMPTY, JsonNodeFactory.instance.objectNode());
  }

  private ImageLayout layout() throws IOException {
    ImageLayout known = layout;
    if (known == null) {
      known = ImageLayout.in(work, "layout");
      layout = known;
    }
    return known;
  }

  private CopyJob job(String repositoryAndTag) {
    return CopyJob.onto(volume.path(), work).from(registry, repositoryAndTag);
  }

  private void copies(String repositoryAndTag, Path expected, String format)
      throws IOException, InterruptedException {
    CopyOutcome outcome = job(repositoryAndTag).run().ok();
    assertTrue(outcome.result().path("format").asText().startsWith(format), outcome::toString);
    assertHas(expected, format);
  }

  private void assertHas(Path expected, String format) throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(expected, format, volume.disk());
  }
}
