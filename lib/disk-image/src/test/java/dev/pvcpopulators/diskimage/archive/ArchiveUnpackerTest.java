package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.TarBytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArchiveUnpackerTest {
  private static final ArchiveLimits LIMITS = new ArchiveLimits(1000, 64 << 20);

  @TempDir Path directory;
  private Path target;
  private Path staging;

  @BeforeEach
  void createTarget() throws IOException {
    target = Files.createDirectory(directory.resolve("target"));
    staging = target.resolve(".staging");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax", "posix"})
  @Tag("tools")
  void unpacksArchivesOfTar(String format) throws IOException {
    Path source = Files.createDirectory(directory.resolve("source"));
    Path deep = Files.createDirectories(source.resolve("d/" + "x".repeat(200) + "/ä"));
    Files.writeString(deep.resolve("y".repeat(250)), "deep");
    Files.write(source.resolve("empty"), new byte[0]);
    Files.write(source.resolve("noise"), noise(300_001));
    Files.setPosixFilePermissions(
        source.resolve("noise"), PosixFilePermissions.fromString("rwxr-x---"));
    Files.createSymbolicLink(source.resolve("d/link"), Path.of("../noise"));
    Files.createSymbolicLink(source.resolve("dangling"), Path.of("d/nothing"));
    Files.createLink(source.resolve("hard"), source.resolve("noise"));
    byte[] tar = Command.of("tar", "-c", "--format=" + format, ".").bytesIn(source);
    assertEquals(300_005, ArchiveUnpacker.unpack(stream(tar), staging, LIMITS));
    ArchivePublication.publish(staging, target, false);
    Command.of("diff", "-r", "--no-dereference").with(source, target).bytes();
    assertEquals(
        "rwxr-x---",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(target.resolve("noise"))));
    assertEquals(Files.getAttribute(target.resolve("hard"), "unix:ino"), inode("noise"));
    assertEquals(
        Files.getLastModifiedTime(source.resolve("noise")).toMillis() / 1000,
        Files.getLastModifiedTime(target.resolve("noise")).toMillis() / 1000);
    assertFalse(Files.exists(staging));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--format=gnu",
        "--format=pax --sparse-version=0.0",
        "--format=pax --sparse-version=0.1",
        "--format=pax --sparse-version=1.0",
        "--no-sparse"
      })
  @Tag("tools")
  void keepsHoles(String options) throws IOException {
    Path file = directory.resolve("disk.img");
    Command.of("truncate", "-s", "32M").with(file).bytes();
    Command.of("dd", "if=/dev/urandom", "bs=4096", "count=5", "seek=1000", "conv=notrunc")
        .with("of=" + file)
        .bytes();
    byte[] tar =
        Command.of("tar", "-c", "-S")
            .with((Object[]) options.replace("--no-sparse", "--format=gnu").split(" ", -1))
            .with("disk.img")
            .bytesIn(directory);
    if (options.equals("--no-sparse")) {
      tar = Command.of("tar", "-c", "disk.img").bytesIn(directory);
    }
    ArchiveUnpacker.unpack(stream(tar), staging, LIMITS);
    Command.of("cmp").with(file, staging.resolve("disk.img")).bytes();
    String blocks = text(Command.of("stat", "-c", "%b").with(staging.resolve("disk.img")));
    assertTrue(Long.parseLong(blocks) * 512 <= 64 << 10, blocks + " blocks");
  }

  @Test
  @Tag("tools")
  void refusesNamesThatEscape() throws IOException {
    Files.writeString(directory.resolve("f"), "x");
    for (String name : List.of("/etc/x", "../x", "a/../../x", "a/..", "..")) {
      byte[] tar =
          Command.of("tar", "-c", "-P", "--transform", "s|^f$|" + name + "|", "f")
              .bytesIn(directory);
      assertRefused(tar, name);
    }
    assertEquals(List.of(), list(target));
  }

  @Test
  void refusesANameThroughALink() throws IOException {
    byte[] tar =
        TarBytes.archive(
            TarBytes.entry("link", '2', ".", new byte[0]),
            TarBytes.entry("link/file", '0', "", "x".getBytes(UTF_8)));
    assertRefused(tar, "link");
    byte[] hard =
        TarBytes.archive(
            TarBytes.entry("file", '0', "", "x".getBytes(UTF_8)),
            TarBytes.entry("link", '2', ".", new byte[0]),
            TarBytes.entry("hard", '1', "link/file", new byte[0]));
    assertRefused(hard, "hard link through a link");
    byte[] directoryOverLink =
        TarBytes.archive(
            TarBytes.entry("link", '2', "..", new byte[0]),
            TarBytes.entry("link/", '5', "", new byte[0]));
    assertRefused(directoryOverLink, "directory over a link");
  }

  @Test
  void refusesLinksThatLeadOut() throws IOException {
    for (String text : List.of("/etc/passwd", "..", "../x", "a/../../x", "./.././y", "/")) {
      assertRefused(TarBytes.archive(TarBytes.entry("l", '2', text, new byte[0])), text);
      assertRefused(TarBytes.archive(TarBytes.entry("l", '1', text, new byte[0])), text);
    }
    // `p/q/up` is a link to `p`. Therefore `p/q/up/../..` is above the root. The text of the path
    // does not show this.
    byte[] roundabout =
        TarBytes.archive(
            TarBytes.entry("out", '2', "p/q/up/../..", new byte[0]),
            TarBytes.entry("p/q/", '5', "", new byte[0]),
            TarBytes.entry("p/q/up", '2', "..", new byte[0]));
    assertRefused(roundabout, "roundabout");
    byte[] loop =
        TarBytes.archive(
            TarBytes.entry("a", '2', "b", new byte[0]), TarBytes.entry("b", '2', "a", new byte[0]));
    assertRefused(loop, "loop");
    byte[] symlinkAsTarget =
        TarBytes.archive(
            TarBytes.entry("a", '2', "b", new byte[0]), TarBytes.entry("c", '1', "a", new byte[0]));
    assertRefused(symlinkAsTarget, "hard link to a link");
  }

  @Test
  void refusesSpecialFiles() throws IOException {
    for (char type : new char[] {'3', '4', '6'}) {
      byte[] tar = TarBytes.archive(TarBytes.entry("dev", type, "", new byte[0]));
      assertThrows(UnsupportedFeatureException.class, () -> unpack(tar), "type " + type);
      FileTree.delete(staging);
    }
  }

  @Test
  void letsTheLastOfTwoEntriesWinWithoutTouchingItsHardLinks() throws IOException {
    byte[] tar =
        TarBytes.archive(
            TarBytes.entry("a", '0', "", "first".getBytes(UTF_8)),
            TarBytes.entry("b", '1', "a", new byte[0]),
            TarBytes.entry("a", '0', "", "second".getBytes(UTF_8)),
            TarBytes.entry("l", '2', "a", new byte[0]),
            TarBytes.entry("l", '0', "", "not through the link".getBytes(UTF_8)));
    unpack(tar);
    assertEquals("second", Files.readString(staging.resolve("a")));
    assertEquals("first", Files.readString(staging.resolve("b")));
    assertTrue(Files.isRegularFile(staging.resolve("l"), NOFOLLOW_LINKS));
  }

  @Test
  @Tag("tools")
  void masksModes() throws IOException {
    Path file = Files.writeString(directory.resolve("suid"), "x");
    Command.of("chmod", "7777").with(file).bytes();
    unpack(Command.of("tar", "-c", "suid").bytesIn(directory));
    assertEquals("777", text(Command.of("stat", "-c", "%a").with(staging.resolve("suid"))));
  }

  @Test
  void holdsItsLimits() throws IOException {
    byte[] tar =
        TarBytes.archive(
            TarBytes.entry("a", '0', "", new byte[1000]),
            TarBytes.entry("b", '0', "", new byte[24]));
    ArchiveUnpacker.unpack(stream(tar), staging, new ArchiveLimits(2, 1024));
    FileTree.delete(staging);
    assertThrows(
        ExceedsVolumeException.class,
        () -> ArchiveUnpacker.unpack(stream(tar), staging, new ArchiveLimits(2, 1023)));
    FileTree.delete(staging);
    assertThrows(
        UnsupportedFeatureException.class,
        () -> ArchiveUnpacker.unpack(stream(tar), staging, new ArchiveLimits(1, 1024)));
  }

  @Test
  void boundsHeaders() throws IOException {
    byte[] longName = new byte[(1 << 20) + 10];
    Arrays.fill(longName, (byte) 'a');
    for (char type : new char[] {'L', 'K', 'x', 'g'}) {
      byte[] tar =
          TarBytes.archive(
              TarBytes.entry("header", type, "", longName),
              TarBytes.entry("file", '0', "", new byte[1]));
      assertRefused(tar, "header of type " + type);
    }
    byte[] component = "b".repeat(256).getBytes(UTF_8);
    assertRefused(
        TarBytes.archive(
            TarBytes.entry("header", 'L', "", component),
            TarBytes.entry("file", '0', "", new byte[1])),
        "component of 256 bytes");
    unpack(
        TarBytes.archive(
            TarBytes.entry("header", 'L', "", Arrays.copyOf(component, 255)),
            TarBytes.entry("file", '0', "", new byte[1])));
  }

  @Test
  @Tag("tools")
  void survivesCutsAndMutations() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Files.write(directory.resolve("f"), noise(3000));
    Files.createSymbolicLink(directory.resolve("l"), Path.of("f"));
    byte[] tar = Command.of("tar", "-c", "-b1", "f", "l", "target").bytesIn(directory);
    for (int i = 0; i < 400; i++) {
      byte[] bad = tar.clone();
      if (i % 2 == 0) {
        bad = Arrays.copyOf(tar, random.nextInt(tar.length - 2048));
      } else {
        bad[random.nextInt(bad.length)] = (byte) random.nextInt();
      }
      try {
        unpack(bad);
        // Some tools omit the padding of the last file. Therefore an archive may end after the data
        // of the file `f`.
        boolean whole = bad.length % 512 == 0 || bad.length == 512 + 3000;
        assertTrue(i % 2 != 0 || whole, "cut at " + bad.length);
      } catch (MalformedImageException | UnsupportedFeatureException | ExceedsVolumeException e) {
        assertTrue(e.getMessage() != null);
      }
      FileTree.delete(staging);
    }
    assertEquals(List.of(), list(target));
  }

  @Test
  void publishesAllOrNothing() throws IOException {
    byte[] tar =
        TarBytes.archive(
            TarBytes.entry("a", '0', "", "new".getBytes(UTF_8)),
            TarBytes.entry("b", '0', "", "new".getBytes(UTF_8)));
    unpack(tar);
    Files.createDirectory(target.resolve("b"));
    Files.writeString(target.resolve("b/kept"), "old");
    assertThrows(
        FileAlreadyExistsException.class, () -> ArchivePublication.publish(staging, target, false));
    assertEquals(List.of(".staging", "b"), list(target));
    assertEquals("old", Files.readString(target.resolve("b/kept")));
    ArchivePublication.publish(staging, target, true);
    assertEquals(List.of("a", "b"), list(target));
    assertEquals("new", Files.readString(target.resolve("b")));
  }

  @Test
  void refusesFilesThatAreNotArchives() throws IOException {
    assertRefused(new byte[0], "nothing");
    assertRefused(new byte[10240], "only zeros");
    assertRefused(noise(10240), "noise");
  }

  private void unpack(byte[] tar) throws IOException {
    ArchiveUnpacker.unpack(stream(tar), staging, LIMITS);
  }

  private void assertRefused(byte[] tar, String what) throws IOException {
    assertThrows(MalformedImageException.class, () -> unpack(tar), what);
    FileTree.delete(staging);
  }

  private Object inode(String name) throws IOException {
    return Files.getAttribute(target.resolve(name), "unix:ino");
  }

  private static ByteArrayInputStream stream(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }

  private static byte[] noise(int length) {
    byte[] noise = new byte[length];
    new Random(1).nextBytes(noise);
    return noise;
  }

  private static String text(Command tool) {
    return new String(tool.bytes(), UTF_8).trim();
  }

  private static List<String> list(Path directory) throws IOException {
    try (var stream = Files.list(directory)) {
      return stream.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  @Tag("tools")
  void takesTheOneDiskOutOfATar() throws IOException {
    byte[] disk = noise(100_000);
    Files.write(directory.resolve("disk.raw"), disk);
    byte[] tar = Command.of("tar", "-c", "-b400", "target", "disk.raw").bytesIn(directory);
    try (DiskInTar in = DiskInTar.open(stream(tar))) {
      assertEquals(100_000, in.length());
      assertEquals("\"disk.raw\"", in.name());
      assertArrayEquals(disk, in.readAllBytes());
      assertEquals(-1, in.read());
    }
  }

  @Test
  void refusesSeveralDisksAndNone() throws IOException {
    byte[] two =
        TarBytes.archive(
            TarBytes.entry("a.img", '0', "", new byte[10]),
            TarBytes.entry("b\n.vmdk", '0', "", new byte[10]));
    try (DiskInTar in = DiskInTar.open(stream(two))) {
      UnsupportedFeatureException e =
          assertThrows(UnsupportedFeatureException.class, in::readAllBytes);
      assertTrue(
          String.valueOf(e.getMessage()).endsWith("it has \"a.img\", \"b?.vmdk\""), e.getMessage());
    }
    byte[] none = TarBytes.archive(TarBytes.entry("d/", '5', "", new byte[0]));
    assertThrows(UnsupportedFeatureException.class, () -> DiskInTar.open(stream(none)).close());
    byte[] cut = Arrays.copyOf(two, 700);
    try (DiskInTar in = DiskInTar.open(stream(Arrays.copyOf(cut, 515)))) {
      assertThrows(MalformedImageException.class, in::readAllBytes);
    }
  }
}
