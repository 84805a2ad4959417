package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Passes;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the number of passes over a source, the maximum number of passes, and sources that change.
@Tag("tools")
class Qcow2PassesTest {
  /// Limits with the smallest possible window. With these limits, the reader needs another pass for
  /// data that precedes its L2 table in the file.
  private static final Qcow2Limits NO_WINDOW = new Qcow2Limits(0, 1 << 18, 16 << 20, 2);

  private static final int SCATTERED = 100;

  @TempDir private Path directory = Path.of("");

  private Path disk() {
    return directory.resolve("disk.raw");
  }

  /// Decodes an image and returns the number of passes.
  private int decode(byte[] image, Qcow2Limits limits) throws IOException {
    int count = 0;
    try (RawFile sink = RawFile.withoutStaging(disk());
        Qcow2Passes passes = new Qcow2Reader(limits).passes(sink)) {
      assertFalse(passes.complete());
      assertThrows(IllegalStateException.class, passes::virtualSize);
      while (!passes.complete()) {
        passes.read(new ByteArrayInputStream(image), OptionalLong.of(image.length));
        count++;
      }
    }
    return count;
  }

  private void assertPasses(int expected, Path image) throws IOException, InterruptedException {
    assertEquals(expected, decode(Files.readAllBytes(image), NO_WINDOW));
    Qemu.requireEqual(image, "qcow2", disk());
  }

  private Path create(String options, String size) throws IOException, InterruptedException {
    Path image = directory.resolve("image.qcow2");
    Qemu.img("create", "-f", "qcow2", "-o", options, image, size).ok();
    return image;
  }

  @Test
  void imageWhoseTablesComeFirstTakesOnePass() throws Exception {
    Path image = create("compat=v3", "64M");
    Qemu.io(image, List.of("write -P 1 0 20M", "write -P 2 30M 10M"));
    assertPasses(1, image);
  }

  @Test
  void resizedImageTakesTwoPasses() throws Exception {
    Path image = create("compat=v3", "64M");
    Qemu.io(image, List.of("write -P 1 0 20M", "write -P 2 30M 10M"));
    Qemu.img("resize", image, "1G").ok();
    assertPasses(2, image);
  }

  @Test
  void snapshotThatWasWrittenToTakesTwoPasses() throws Exception {
    Path image = create("compat=v3", "64M");
    Qemu.io(image, List.of("write -P 1 0 20M"));
    Qemu.img("snapshot", "-c", "s", image).ok();
    Qemu.io(image, List.of("write -P 3 1M 1M"));
    assertPasses(2, image);
  }

  @Test
  void snapshotThatWasWrittenToAndResizedTakesThreePasses() throws Exception {
    Path image = create("compat=v3", "64M");
    Qemu.io(image, List.of("write -P 1 0 20M"));
    Qemu.img("snapshot", "-c", "s", image).ok();
    Qemu.io(image, List.of("write -P 3 1M 1M", "write -P 4 30M 8M"));
    Qemu.img("resize", image, "1G").ok();
    assertPasses(3, image);
  }

  /// Creates an image with `SCATTERED` clusters in reverse guest order and one run of 4 MiB. The
  /// data is longer than the smallest possible window. Because of the snapshot, the last write
  /// copies the L2 table to the end of the file.
  private Path scattered() throws IOException, InterruptedException {
    Path image = create("compat=v3", "64M");
    List<String> commands = new ArrayList<>();
    for (int i = SCATTERED; i > 0; i--) {
      commands.add("write -P " + i + " " + i * 65536 + " 64k");
    }
    commands.add("write -P 200 16M 4M");
    Qemu.io(image, commands);
    Qemu.img("snapshot", "-c", "s", image).ok();
    Qemu.io(image, List.of("write -P 3 0 64k"));
    return image;
  }

  @Test
  void runsOfATableHaveBothSidesOfTheirLimit() throws Exception {
    Path image = scattered();
    byte[] bytes = Files.readAllBytes(image);
    assertEquals(2, decode(bytes, new Qcow2Limits(0, SCATTERED + 1, 16 << 20, 2)));
    Qemu.requireEqual(image, "qcow2", disk());
    UnsupportedFeatureException e =
        assertThrows(
            UnsupportedFeatureException.class,
            () -> decode(bytes, new Qcow2Limits(0, SCATTERED, 16 << 20, 2)));
    assertTrue(e.toString().contains("qemu-img convert"), e.toString());
  }

  @Test
  void tablesWithoutRoomWaitForTheNextPass() throws Exception {
    // Each of the three L2 tables maps 512 clusters. Adjacent guest clusters are never adjacent in
    // the file.
    Path image = create("cluster_size=4k", "6M");
    List<String> commands = new ArrayList<>(List.of("write -P 1 0 4k"));
    commands.addAll(List.of("write -P 1 2M 4k", "write -P 1 4M 4k"));
    for (int i = 511; i > 0; i--) {
      for (int table = 0; table < 3; table++) {
        commands.add("write -P " + (1 + i % 255) + " " + (table * 512 + i) * 4096 + " 4k");
      }
    }
    Qemu.io(image, commands.subList(0, 800));
    Qemu.io(image, commands.subList(800, commands.size()));
    byte[] bytes = Files.readAllBytes(image);
    assertEquals(1, decode(bytes, NO_WINDOW));
    assertEquals(3, decode(bytes, new Qcow2Limits(0, 512, 16 << 20, 2)));
    Qemu.requireEqual(image, "qcow2", disk());
  }

  @Test
  void changedHeaderOrLengthIsRefused() throws Exception {
    Path image = create("compat=v3", "64M");
    Qemu.io(image, List.of("write -P 1 0 20M"));
    Qemu.img("resize", image, "1G").ok();
    byte[] first = Files.readAllBytes(image);
    byte[] larger = first.clone();
    larger[31] ^= 2;
    for (byte[] second :
        List.of(
            larger,
            Arrays.copyOf(first, first.length + 1),
            Arrays.copyOf(first, first.length - 1),
            Arrays.copyOf(first, first.length / 2),
            Arrays.copyOf(first, 100),
            new byte[0])) {
      try (RawFile sink = RawFile.withoutStaging(disk());
          Qcow2Passes passes = new Qcow2Reader(NO_WINDOW).passes(sink)) {
        passes.read(new ByteArrayInputStream(first), OptionalLong.empty());
        assertFalse(passes.complete());
        assertThrows(
            MalformedImageException.class,
            () -> passes.read(new ByteArrayInputStream(second), OptionalLong.empty()));
      }
    }
  }

  @Test
  void damagedImagesAreDecodedAsWithStagingOrRefused() throws Exception {
    long seed = Long.getLong("qcow2.seed", System.nanoTime());
    System.out.println("damagedImagesAreDecodedAsWithStaging, -Dqcow2.seed=" + seed);
    Random random = new Random(seed);
    Path image = create("cluster_size=4k", "8M");
    Qemu.io(image, List.of("write -P 1 0 3M", "write -P 2 5M 100k"));
    Qemu.img("snapshot", "-c", "s", image).ok();
    Qemu.io(image, List.of("write -P 3 1M 64k", "write -P 4 2M 4k", "write -P 5 5M 4k"));
    Qemu.img("resize", image, "16M").ok();
    byte[] sound = Files.readAllBytes(image);
    Path staged = directory.resolve("staged.raw");
    int decoded = 0;
    for (int i = 0; i < 100; i++) {
      byte[] damaged = sound.clone();
      // Prefers an 8-byte word that looks like a table entry.
      int at = random.nextInt(sound.length / 8) * 8;
      for (int tries = 0; tries < 2000 && !tableWord(sound, at); tries++) {
        at = random.nextInt(sound.length / 8) * 8;
      }
      damaged[at + random.nextInt(8)] ^= (byte) (1 << random.nextInt(8));
      boolean whole = refused(() -> decodeStaged(damaged, staged));
      assertEquals(whole, refused(() -> decode(damaged, NO_WINDOW)), "byte " + at);
      if (!whole) {
        assertEquals(-1, Files.mismatch(staged, disk()), "byte " + at);
        decoded++;
      }
    }
    assertTrue(decoded > 0 && decoded < 100, "decoded " + decoded);
  }

  private static boolean tableWord(byte[] bytes, int at) {
    return (bytes[at] & 0x7f) == 0 && bytes[at + 1] == 0 && bytes[at + 5] != bytes[at + 4];
  }

  private interface Attempt {
    void run() throws IOException;
  }

  private static boolean refused(Attempt attempt) throws IOException {
    try {
      attempt.run();
      return false;
    } catch (MalformedImageException | UnsupportedFeatureException _) {
      return true;
    }
  }

  private static void decodeStaged(byte[] image, Path raw) throws IOException {
    try (RawFile sink = new RawFile(raw, Long.MAX_VALUE)) {
      new Qcow2Reader(NO_WINDOW)
          .decode(new ByteArrayInputStream(image), OptionalLong.of(image.length), sink);
    }
  }
}
