package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.TarBytes;
import dev.pvcpopulators.it.TarWriter;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayersVolume;
import dev.pvcpopulators.it.image.Packing;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks that a Job refuses hostile layers, or converts them with bounded memory. A refused image
/// leaves no layer and no machine.
@Tag("tools")
final class LayersHostileTest {
  private static final int DATA = CopyOutcome.EX_DATAERR;
  private static final int FULL = CopyOutcome.EX_CANTCREAT;

  /// The size of the file system in the machine's disk.
  private static final String SIZE = "64M";

  /// The length in bytes of a huge value in a tar header. The limit for all headers of one entry is
  /// 1 MiB.
  private static final int HUGE = Rounds.of(16, 100) << 20;

  /// The length in bytes of a file that does not fit into the file system.
  private static final long BOMB = (long) Rounds.of(96, 512) << 20;

  /// The number of device nodes in a layer. `-Dit.layers.entries=1000000` tests a million entries,
  /// which fit into the heap according to docs/operations/sizing.md.
  private static final int ENTRIES = Integer.getInteger("it.layers.entries", 70_000);

  /// The size in MiB of a file system with fewer inodes than [#ENTRIES].
  private static final int SMALL_MEBIBYTES = Math.ceilDiv(ENTRIES, 100_000) * 1024;

  private static final long MAX_RESIDENT = 512L << 20;
  private static final Pattern ENOUGH =
      Pattern.compile("IMAGE_TO_QCOW2_LAYERS_SIZE=(\\d+[KMGT]?) is enough");

  /// A hostile layer.
  ///
  /// @param exits the permitted exit codes of the Job
  record Attack(String name, Set<Integer> exits, Writer writer) {
    @Override
    public String toString() {
      return name;
    }
  }

  interface Writer {
    void write(TarWriter tar);
  }

  @TempDir private Path work = Path.of("");
  private LayersVolume volume = new LayersVolume(work);

  @BeforeEach
  void make() throws IOException {
    volume = LayersVolume.in(work, "volume");
  }

  static Stream<Attack> attacks() {
    return Rounds.oneOf(4, all());
  }

  private static List<Attack> all() {
    return List.of(
        new Attack(
            "a huge name", Set.of(DATA), tar -> tar.pax("path", "v".repeat(HUGE)).file("f", "x")),
        new Attack(
            "a huge extended attribute",
            Set.of(DATA),
            tar -> tar.pax("SCHILY.xattr.user.large", "v".repeat(HUGE)).file("f", "x")),
        new Attack(
            "a file that claims 8 EiB",
            Set.of(DATA, FULL),
            tar -> tar.entry("f", '0').length(Long.MAX_VALUE).end().file("g", "x")),
        new Attack(
            "a file that claims more than there is",
            Set.of(DATA),
            tar -> tar.entry("f", '0').length(1 << 20).end().zeros(TarBytes.BLOCK)),
        new Attack(
            "a bomb", Set.of(FULL), tar -> tar.entry("f", '0').length(BOMB).end().zeros(BOMB)),
        new Attack(
            "no tar",
            Set.of(DATA),
            tar -> tar.pax("x", "v").entry("\1\2\3", 'Z').length(-1).end()));
  }

  @ParameterizedTest
  @MethodSource("attacks")
  void areRefused(Attack attack) throws IOException, InterruptedException {
    ImageLayout layout = layout(attack.writer());
    CopyOutcome outcome = job(layout).set("SIZE", SIZE).run();
    System.out.println(
        "LayersHostileTest: "
            + attack
            + ": "
            + outcome.exit()
            + ", "
            + (outcome.residentBytes() >> 20)
            + " MiB, "
            + outcome.reason());
    assertTrue(attack.exits().contains(outcome.exit()), outcome::toString);
    outcome.expect(outcome.exit());
    assertEquals(List.of(), volume.layers(), "layers of a refused image");
    assertTrue(Files.notExists(volume.image("hostile")), "a machine of a refused image");
  }

  /// The Job resolves every name inside the file tree of the image. No file appears outside of the
  /// volume.
  @Test
  void namesAreConfined() throws IOException, InterruptedException {
    ImageLayout layout =
        layout(tar -> {
          tar.file("../../../../escaped-1", "x").file("/escaped-2", "x");
          tar.file("a/../../escaped-3", "x").file("./b/./escaped-4", "x");
          tar.symbolicLink("way", "../../..").file("way/escaped-5", "x");
          tar.hardLink("etc", "../../../../etc/passwd");
        });
    CopyOutcome outcome = job(layout).set("SIZE", SIZE).run();
    System.out.println("LayersHostileTest: names: " + outcome.exit() + ", " + outcome.message());
    // The last entry links to a missing file. Therefore the Job fails.
    outcome.expect(DATA);
    assertEquals(List.of(), named("escaped-", work.resolveSibling("")));
  }

  /// Finds files by the beginning of their names. Ignores files that disappear, because other tests
  /// create and remove files in the directory at the same time.
  private static List<Path> named(String prefix, Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (String.valueOf(file.getFileName()).startsWith(prefix)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException gone) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path ended, @Nullable IOException gone) {
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  /// If a layer has more entries than the file system has inodes, the message names a sufficient
  /// size.
  @Test
  @Tag("nightly")
  void aFloodOfDevicesNeedsALargerDisk() throws IOException, InterruptedException {
    ImageLayout layout =
        layout(tar -> {
          for (int i = 0; i < ENTRIES; i++) {
            tar.entry("d" + i % 1000 + "/device-" + i, '3').device(1, 3).end();
          }
        });
    CopyOutcome small = job(layout).set("SIZE", SMALL_MEBIBYTES + "M").run();
    System.out.println("LayersHostileTest: flood: " + small);
    assertEquals(FULL, small.exit(), small::toString);
    assertTrue(small.residentBytes() < MAX_RESIDENT, small::toString);
    Matcher enough = ENOUGH.matcher(small.reason());
    assertTrue(enough.find(), small::toString);
    assertEquals(List.of(), volume.layers());
    CopyOutcome large = job(layout).set("SIZE", enough.group(1)).run();
    System.out.println("LayersHostileTest: flood: " + large);
    assertEquals(0, large.exit(), large::toString);
    assertTrue(large.residentBytes() < MAX_RESIDENT, large::toString);
    try (DiskExport disk = DiskExport.of(volume.disk("hostile"), work)) {
      disk.assertClean();
    }
  }

  private LayersJob job(ImageLayout layout) {
    return LayersJob.into(volume.path(), work)
        .from(layout.reference(ImageLayout.LATEST))
        .named("hostile")
        .unbootable()
        .set("COMMAND", "/nothing");
  }

  private ImageLayout layout(Writer writer) throws IOException {
    ImageLayout layout = ImageLayout.in(work, "layout");
    Path tar = Files.createTempFile(work, "layer", ".tar");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(tar))) {
      TarWriter writing = new TarWriter(out);
      writer.write(writing);
      writing.end();
    }
    Content layer = layout.layer(Family.OCI, Packing.GZIP, tar);
    Files.delete(tar);
    layout.tag(ImageLayout.LATEST, layout.image(Family.OCI, List.of(layer)));
    return layout;
  }
}
