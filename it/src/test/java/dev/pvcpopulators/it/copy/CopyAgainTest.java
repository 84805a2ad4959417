package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import dev.pvcpopulators.it.image.Skopeo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks dry runs, and Jobs for volumes that already have a disk.
@Tag("tools")
final class CopyAgainTest {
  private static final Seed SEED = Seed.of("CopyAgainTest");

  private static Path first;
  private static Path second;
  private static Content firstLayer;
  private static Content firstManifest;
  private static Registry registry;

  @TempDir private Path work = Path.of("");
  private VolumeDirectory volume = new VolumeDirectory(work);

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    registry = Registry.open(directory.resolve("registry"));
    first = image(directory, "first");
    second = image(directory, "second");
    ImageLayout layout =
        ImageLayout.containerDisk(directory, "one", Family.OCI, Packing.GZIP, first);
    firstLayer = layout.layers(ImageLayout.LATEST).getFirst();
    firstManifest = layout.tagged(ImageLayout.LATEST);
    registry.push(layout, ImageLayout.LATEST, "again:first");
    registry.push(
        ImageLayout.containerDisk(directory, "two", Family.OCI, Packing.GZIP, second),
        ImageLayout.LATEST,
        "again:second");
  }

  private static Path image(Path directory, String name) throws IOException, InterruptedException {
    Path place = Files.createDirectory(directory.resolve(name));
    return Recipe.named("qcow2 version 3, clusters of 64k")
        .make(place, SEED.random(name.hashCode()));
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
  void theSameImageIsNotFetchedAgain() throws IOException, InterruptedException {
    CopyOutcome copied = copies("again:first");
    assertFalse(copied.details().path("skipped").asBoolean(), copied::toString);
    assertEquals("[\"source\"]", copied.details().path("verified").toString());
    FileTime written = Files.getLastModifiedTime(volume.disk());
    registry.forget();
    CopyOutcome again = copies("again:first");
    assertTrue(again.details().path("skipped").asBoolean(), again::toString);
    String verified = again.details().path("verified").toString();
    assertTrue(verified.startsWith("[\"inode\",\"size\",\"mtime\""), again::toString);
    assertFalse(verified.contains(CONTENT), again::toString);
    assertEquals(
        "[\"digest\",\"format\",\"virtualSize\"]", again.details().path("recorded").toString());
    assertEquals(0, registry.gets(firstLayer), "requests for the layer");
    assertEquals(written, Files.getLastModifiedTime(volume.disk()), "time of the last write");
    assertHas(first);
  }

  private static final String CONTENT = "content";

  private void overwriteFirstSector() throws IOException, InterruptedException {
    Command.run(
        "dd",
        "if=/dev/urandom",
        "of=" + volume.disk(),
        "bs=512",
        "count=1",
        "conv=notrunc",
        "status=none");
  }

  @Test
  void aDiskThatWasWrittenToIsNotTakenForTheImage() throws IOException, InterruptedException {
    copies("again:first");
    overwriteFirstSector();
    CopyOutcome refused = job("again:first").run().expect(CopyOutcome.EX_CANTCREAT);
    assertTrue(refused.log().contains("mtime"), refused::toString);
    String tampered = ImageLayout.digest(volume.disk());
    // A virtual machine may have written to the disk. Therefore the Job replaces a changed disk of
    // the same image only if both POPULATOR_OVERWRITE and REGISTRY_COPY_FORCE are set.
    job("again:first").with("POPULATOR_OVERWRITE", "true").run().expect(CopyOutcome.EX_CANTCREAT);
    assertEquals(tampered, ImageLayout.digest(volume.disk()), "digest of the disk");
    CopyOutcome taken = job("again:first").with("REGISTRY_COPY_VERIFY", "none").run().ok();
    assertEquals("[]", taken.details().path("verified").toString(), taken::toString);
    job("again:first")
        .with("POPULATOR_OVERWRITE", "true")
        .with("REGISTRY_COPY_FORCE", "true")
        .run()
        .ok();
    assertHas(first);
  }

  @Test
  void theContentFindsAChangeThatTheTimesDoNot() throws IOException, InterruptedException {
    job("again:first").with("REGISTRY_COPY_VERIFY", CONTENT).run().ok();
    CopyOutcome same = job("again:first").with("REGISTRY_COPY_VERIFY", CONTENT).run().ok();
    assertTrue(
        same.details().path("verified").toString().endsWith("\"" + CONTENT + "\"]"),
        same::toString);
    FileTime written = Files.getLastModifiedTime(volume.disk());
    overwriteFirstSector();
    Files.setLastModifiedTime(volume.disk(), written);
    CopyOutcome refused =
        job("again:first")
            .with("REGISTRY_COPY_VERIFY", CONTENT)
            .run()
            .expect(CopyOutcome.EX_CANTCREAT);
    assertTrue(refused.log().contains(CONTENT), refused::toString);
  }

  @Test
  void withoutADigestTheContentIsNotTakenForTheImages() throws IOException, InterruptedException {
    copies("again:first");
    CopyOutcome refused =
        job("again:first")
            .with("REGISTRY_COPY_VERIFY", CONTENT)
            .run()
            .expect(CopyOutcome.EX_CANTCREAT);
    assertTrue(refused.log().contains("no digest"), refused::toString);
  }

  /// After a tag was moved, the same reference names another image.
  @Test
  @Tag("nightly")
  void anotherImageUnderTheSameTagIsNotTheSame() throws IOException, InterruptedException {
    Skopeo.copyVerbatim(registry.image("again:first"), registry.image("moving:tag"));
    copies("moving:tag");
    Skopeo.copyVerbatim(registry.image("again:second"), registry.image("moving:tag"));
    job("moving:tag").run().expect(CopyOutcome.EX_CANTCREAT);
    assertHas(first);
    job("moving:tag").with("POPULATOR_OVERWRITE", "true").run().ok();
    assertHas(second);
  }

  @Test
  @Tag("nightly")
  void forcedItIsFetchedAgain() throws IOException, InterruptedException {
    copies("again:first");
    registry.forget();
    CopyOutcome outcome =
        job("again:first")
            .with("REGISTRY_COPY_FORCE", "true")
            .with("POPULATOR_OVERWRITE", "true")
            .run()
            .ok();
    assertFalse(outcome.details().path("skipped").asBoolean(), outcome::toString);
    assertEquals(1, registry.gets(firstLayer), "requests for the layer");
    assertHas(first);
  }

  @Test
  void anotherImageDoesNotReplaceTheDiskUnlessItMay() throws IOException, InterruptedException {
    copies("again:first");
    job("again:second").run().expect(CopyOutcome.EX_CANTCREAT);
    assertHas(first);
    CopyOutcome outcome = job("again:second").with("POPULATOR_OVERWRITE", "true").run().ok();
    assertFalse(outcome.details().path("skipped").asBoolean(), outcome::toString);
    assertHas(second);
  }

  @Test
  void keepsAForeignDisk() throws IOException, InterruptedException {
    byte[] foreign = new byte[1 << 20];
    SEED.random().nextBytes(foreign);
    Files.write(volume.disk(), foreign);
    registry.forget();
    job("again:first").run().expect(CopyOutcome.EX_CANTCREAT);
    assertEquals(0, registry.gets(firstLayer), "requests for the layer");
    assertEquals(
        ImageLayout.digest(foreign), ImageLayout.digest(volume.disk()), "digest of the disk");
  }

  @Test
  void aDryRunReportsItsPlan() throws IOException, InterruptedException {
    registry.forget();
    CopyOutcome outcome = job("again:first").run("--dry-run");
    assertEquals(0, outcome.exit(), outcome::toString);
    for (String named :
        new String[] {
          firstManifest.digest(),
          firstLayer.digest(),
          Long.toString(firstLayer.size()),
          Long.toString(64L << 20),
          "/disk/disk.qcow2",
          "qcow2"
        }) {
      assertTrue(outcome.log().contains(named), () -> named + " in " + outcome);
    }
    volume.assertEmpty();
    assertTrue(registry.sent(firstLayer) <= firstLayer.size(), "the layer was sent twice");
  }

  @Test
  @Tag("nightly")
  void aDryRunFailsAsTheRunWould() throws IOException, InterruptedException {
    CopyOutcome outcome = job("again:missing").run("--dry-run");
    assertEquals(CopyOutcome.EX_NOINPUT, outcome.exit(), outcome::toString);
    volume.assertEmpty();
  }

  @Test
  void aDryRunRefusesAVolumeThatCannotBeWritten() throws IOException, InterruptedException {
    Path readOnly = Files.createDirectory(work.resolve("read-only"));
    Command.run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", readOnly.toString());
    try {
      CopyOutcome outcome =
          CopyJob.onto(readOnly, work).from(registry, "again:first").run("--dry-run");
      assertEquals(78, outcome.exit(), outcome::toString);
      assertTrue(outcome.log().contains("not writable"), outcome::toString);
    } finally {
      Command.run("umount", readOnly.toString());
    }
  }

  private CopyJob job(String repositoryAndTag) {
    return CopyJob.onto(volume.path(), work).from(registry, repositoryAndTag);
  }

  private CopyOutcome copies(String repositoryAndTag) throws IOException, InterruptedException {
    return job(repositoryAndTag).run().ok();
  }

  private void assertHas(Path image) throws IOException, InterruptedException {
    volume.assertOneDisk();
    QemuImg.assertIdentical(image, "qcow2", volume.disk());
  }
}
