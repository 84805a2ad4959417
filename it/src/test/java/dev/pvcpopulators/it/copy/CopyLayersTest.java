package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.disk.Wrapping;
import dev.pvcpopulators.it.image.Buildah;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayerTree;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import dev.pvcpopulators.it.image.Skopeo;
import dev.pvcpopulators.it.image.Umoci;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks which layers a Job downloads, and which file is the disk. The disk is the file that a
/// container of the image sees.
@Tag("tools")
final class CopyLayersTest {
  private static final Seed SEED = Seed.of("CopyLayersTest");

  private static Path shared;
  private static Registry registry;
  private static Path old;
  private static Path latest;

  @TempDir private Path work = Path.of("");
  private VolumeDirectory volume = new VolumeDirectory(work);

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    shared = directory;
    registry = Registry.open(directory.resolve("registry"));
    old = image("old", 1);
    latest = image("new", 2);
  }

  private static Path image(String name, long branch) throws IOException, InterruptedException {
    Path place = Files.createDirectory(shared.resolve(name));
    return Recipe.named("qcow2 version 3, clusters of 64k").make(place, SEED.random(branch));
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  @BeforeEach
  void makeVolume() throws IOException {
    volume = VolumeDirectory.in(work, "volume");
  }

  @Test
  void lowerLayersAreNotFetched() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Content bottom = layer(layout, "bottom", tree -> tree.file("usr/lib/large", old));
    Content middle = layer(layout, "middle", tree -> tree.file("disk/disk.qcow2", old));
    Content top = layer(layout, "top", tree -> tree.file("disk/disk.qcow2", latest));
    push(layout, List.of(bottom, middle, top), "layers:lower");
    registry.forget();
    CopyOutcome outcome = copies(registry.image("layers:lower"), latest);
    assertEquals(0, registry.gets(bottom), "requests for the bottom layer");
    assertEquals(0, registry.gets(middle), "requests for the middle layer");
    assertEquals(1, registry.gets(top), "requests for the top layer");
    assertEquals(top.size(), registry.sent(top), "bytes of the top layer");
    assertEquals(top.digest(), outcome.details().path("layer").asText(), outcome::toString);
  }

  /// The Job searches the layers from top to bottom, and stops at the layer with the disk.
  @Test
  @Tag("nightly")
  void aDiskBelowOtherLayersIsFound() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Content bottom = layer(layout, "bottom", tree -> tree.file("disk/disk.qcow2", old));
    Content middle = layer(layout, "middle", tree -> tree.file("disk/disk.qcow2", latest));
    Content top = layer(layout, "top", tree -> tree.empty("etc/motd"));
    push(layout, List.of(bottom, middle, top), "layers:below");
    registry.forget();
    copies(registry.image("layers:below"), latest);
    assertEquals(0, registry.gets(bottom), "requests for the bottom layer");
  }

  @Test
  @Tag("nightly")
  void aReplacedDiskIsHonoured() throws IOException, InterruptedException {
    Buildah buildah = Buildah.in(work, "buildah");
    commitDisk(buildah, old, "/disk/disk.qcow2", "first");
    String container = buildah.from("localhost/first");
    buildah.copyDisk(container, latest, "/disk/disk.qcow2");
    buildah.commit(container, "docker", "second");
    buildah.push("second", registry.image("buildah:replaced"));
    copies(registry.image("buildah:replaced"), latest);
  }

  @Test
  @Tag("nightly")
  void aDeletedDiskIsHonoured() throws IOException, InterruptedException {
    Buildah buildah = Buildah.in(work, "buildah");
    commitDisk(buildah, old, "/disk/old.qcow2", "first");
    String container = buildah.from("localhost/first");
    Files.delete(buildah.mount(container).resolve("disk/old.qcow2"));
    buildah.commit(container, "oci", "none");
    buildah.push("none", registry.image("buildah:none"));
    CopyOutcome refused = refuses(registry.image("buildah:none"));
    assertTrue(refused.reason().contains("old.qcow2"), refused::toString);

    container = buildah.from("localhost/none");
    buildah.copyDisk(container, latest, "/disk/new.qcow2");
    buildah.commit(container, "oci", "other");
    buildah.push("other", registry.image("buildah:other"));
    copies(registry.image("buildah:other"), latest);
  }

  @Test
  @Tag("nightly")
  void anOpaqueDirectoryHidesLowerLayers() throws IOException, InterruptedException {
    Umoci umoci = Umoci.in(work, "umoci");
    umoci.create("opaque");
    umoci.insert("opaque", old, "/disk/old.qcow2");
    Path directory = Files.createDirectory(work.resolve("only"));
    Files.createLink(directory.resolve("new.qcow2"), latest);
    umoci.insertOpaque("opaque", directory, "/disk");
    Skopeo.copyVerbatim(umoci.reference("opaque"), registry.image("umoci:opaque"));
    copies(registry.image("umoci:opaque"), latest);

    umoci.whiteout("opaque", "/disk");
    Skopeo.copyVerbatim(umoci.reference("opaque"), registry.image("umoci:gone"));
    refuses(registry.image("umoci:gone"));
  }

  @Test
  @Tag("nightly")
  void linksInsideTheImageAreFollowed() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Content images = layer(layout, "images", tree -> tree.file("images/new.qcow2", latest));
    Content link =
        layer(layout, "link", tree -> tree.symlink("disk/current", "../../images/new.qcow2"));
    push(layout, List.of(images, link), "links:symbolic");
    copies(registry.image("links:symbolic"), latest);

    clear();
    ImageLayout other = ImageLayout.in(work, "other");
    // In the layer, `a/new.qcow2` precedes `disk/hard`. Therefore `disk/hard` is the hard link.
    Content hard =
        layer(
            other,
            "hard",
            tree -> tree.file("a/new.qcow2", latest).hardlink("disk/hard", "a/new.qcow2"));
    push(other, List.of(hard), "links:hard");
    copies(registry.image("links:hard"), latest);
  }

  /// The Job resolves links inside the image, and does not open files of the host.
  @Test
  void linksAreResolvedInsideTheImage() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Content link =
        layer(layout, "link", tree -> tree.symlink("disk/disk.img", "../../../etc/passwd"));
    push(layout, List.of(link), "links:out");
    refuses(registry.image("links:out"));
    // The parent of the root is the root. Therefore the link leads to `/etc/passwd` of the image.
    Content own = layer(layout, "own", tree -> tree.file("etc/passwd", old));
    push(layout, List.of(own, link), "links:inside");
    job(registry.image("links:inside")).run().ok();
    assertHas(old);
  }

  @Test
  void severalDisksAreListedAndOneCanBeChosen() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Content both =
        layer(
            layout,
            "both",
            tree -> tree.file("disk/old.qcow2", old).file("disk/new.qcow2", latest));
    push(layout, List.of(both), "several:both");
    CopyOutcome refused = refuses(registry.image("several:both"));
    assertTrue(refused.reason().contains("old.qcow2"), refused::toString);
    assertTrue(refused.reason().contains("new.qcow2"), refused::toString);

    job(registry.image("several:both")).with("REGISTRY_COPY_PATH", "/disk/new.qcow2").run().ok();
    assertHas(latest);
    clear();
    job(registry.image("several:both")).with("REGISTRY_COPY_PATH", "/disk/o*.qcow2").run().ok();
    assertHas(old);
  }

  @Test
  @Tag("nightly")
  void listsEntriesThatAreNotDisks() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    push(layout, List.of(layer(layout, "empty", tree -> tree.empty("etc/motd"))), "no:disk");
    refuses(registry.image("no:disk"));

    ImageLayout other = ImageLayout.in(work, "other");
    Content directory = layer(other, "directory", tree -> tree.file("disk/sub/disk.qcow2", latest));
    push(other, List.of(directory), "no:directory");
    CopyOutcome refused = refuses(registry.image("no:directory"));
    assertTrue(refused.reason().contains("sub"), refused::toString);
  }

  @Test
  @Tag("nightly")
  void aCompressedFileInTheImageIsDecompressed() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Path wrapped = Wrapping.XZ.wrap(latest);
    Content layer = layer(layout, "xz", tree -> tree.file("disk/disk.qcow2.xz", wrapped));
    push(layout, List.of(layer), "wrapped:xz");
    copies(registry.image("wrapped:xz"), latest);
  }

  @Test
  @Tag("nightly")
  void labelsAndEnvironmentAreReported() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Content layer = layer(layout, "disk", tree -> tree.file("disk/disk.qcow2", latest));
    layout.tag(
        ImageLayout.LATEST,
        layout.image(
            Family.OCI,
            "amd64",
            List.of(layer),
            Map.of("instancetype.kubevirt.io/default-instancetype", "u1.medium"),
            List.of("INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE=fedora", "PATH=/secret")));
    registry.push(layout, ImageLayout.LATEST, "labels:latest");
    CopyOutcome outcome = copies(registry.image("labels:latest"), latest);
    JsonNode details = outcome.details();
    assertEquals(
        "u1.medium",
        details.path("labels").path("instancetype.kubevirt.io/default-instancetype").asText(),
        outcome::toString);
    assertEquals(
        "fedora",
        details.path("environment").path("INSTANCETYPE_KUBEVIRT_IO_DEFAULT_PREFERENCE").asText(),
        outcome::toString);
    assertTrue(details.path("environment").path("PATH").isMissingNode(), outcome::toString);
  }

  @Test
  @Tag("nightly")
  void thePlatformIsChosen() throws IOException, InterruptedException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Content amd = layer(layout, "amd64", tree -> tree.file("disk/disk.qcow2", old));
    Content arm = layer(layout, "arm64", tree -> tree.file("disk/disk.qcow2", latest));
    layout.tag(
        ImageLayout.LATEST,
        layout.index(
            Family.OCI,
            List.of(
                layout.image(Family.OCI, "amd64", List.of(amd), Map.of(), List.of()),
                layout.image(Family.OCI, "arm64", List.of(arm), Map.of(), List.of()))));
    registry.push(layout, ImageLayout.LATEST, "platforms:latest");
    String image = registry.image("platforms:latest");
    CopyOutcome outcome = job(image).with("REGISTRY_COPY_PLATFORM", "linux/arm64").run().ok();
    assertHas(latest);
    assertEquals("linux/arm64", outcome.details().path("platform").asText(), outcome::toString);
    clear();
    CopyOutcome refused =
        job(image)
            .with("REGISTRY_COPY_PLATFORM", "linux/s390x")
            .run()
            .expect(CopyOutcome.EX_DATAERR);
    assertTrue(refused.reason().contains("linux/arm64"), refused::toString);
    volume.assertEmpty();
  }

  @Test
  @Tag("nightly")
  void layoutsAndArchivesAreSources() throws IOException, InterruptedException {
    ImageLayout layout =
        ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, latest);
    String source = layout.reference(ImageLayout.LATEST);
    copies(source, latest);
    clear();
    copies("oci:" + layout.directory(), latest);
    Path archive = work.resolve("oci.tar");
    Skopeo.copy(source, "oci-archive:" + archive + ":latest");
    clear();
    copies("oci-archive:" + archive, latest);
    Path saved = work.resolve("docker.tar");
    Skopeo.copy(source, "docker-archive:" + saved + ":disks/new:1");
    clear();
    copies("docker-archive:" + saved, latest);
    clear();
    copies("docker-archive:" + saved + ":disks/new:1", latest);
    clear();
    job("oci:" + work.resolve("nowhere")).run().expect(CopyOutcome.EX_NOINPUT);
    job(layout.reference("other")).run().expect(CopyOutcome.EX_NOINPUT);
    volume.assertEmpty();
  }

  /// Fills the file tree of a layer.
  interface Filling {
    LayerTree fill(LayerTree tree) throws IOException;
  }

  private Content layer(ImageLayout layout, String name, Filling filling) throws IOException {
    LayerTree tree = filling.fill(LayerTree.in(work, name + ".tree"));
    return layout.layer(Family.OCI, Packing.GZIP, tree);
  }

  private static void push(ImageLayout layout, List<Content> layers, String repositoryAndTag)
      throws IOException {
    layout.tag(ImageLayout.LATEST, layout.image(Family.OCI, layers));
    registry.push(layout, ImageLayout.LATEST, repositoryAndTag);
  }

  private static void commitDisk(Buildah buildah, Path disk, String target, String image)
      throws IOException {
    String container = buildah.from("scratch");
    buildah.copyDisk(container, disk, target);
    buildah.commit(container, "docker", image);
  }

  private CopyJob job(String image) {
    return CopyJob.onto(volume.path(), work).from(image).insecure(registry.address());
  }

  private CopyOutcome copies(String image, Path expected) throws IOException, InterruptedException {
    CopyOutcome outcome = job(image).run().ok();
    assertHas(expected);
    return outcome;
  }

  private void assertHas(Path expected) throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(expected, "qcow2", volume.disk());
  }

  private CopyOutcome refuses(String image) throws IOException, InterruptedException {
    clear();
    CopyOutcome outcome = job(image).run().expect(CopyOutcome.EX_DATAERR);
    volume.assertEmpty();
    return outcome;
  }

  private void clear() throws IOException {
    Files.deleteIfExists(volume.disk());
  }
}
