package dev.pvcpopulators.ext4;

import static dev.pvcpopulators.ext4.Layer.attributes;
import static dev.pvcpopulators.ext4.Layer.path;
import static dev.pvcpopulators.ext4.Layer.xattr;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Timestamp;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class LayerEditTest {
  private static final long SIZE = 64L << 20;
  private static final String LIST = "find . -mindepth 1 -printf '%P\\n' | LC_ALL=C sort";

  @TempDir Path home;
  private DiskFile disk;

  @BeforeEach
  void format() throws IOException {
    disk = DiskFile.formatted(home.resolve("disk"), SIZE);
  }

  @AfterEach
  void close() throws IOException {
    disk.close();
  }

  private String list() throws IOException {
    return disk.mounted(LIST).replace('\n', ' ').strip();
  }

  @Test
  void entriesOfEveryKindAreAsTheyWereAskedFor() throws IOException {
    Timestamp late = new Timestamp(10_000_000_000L, 123_456_789);
    Attributes own = new Attributes(07751, 100_000, 4_000_000_000L, late, List.of());
    String longTarget = "x".repeat(60);
    Layer.apply(
        disk,
        layer -> {
          layer.edit().directory(path("/"), attributes(01777, 5, 6, 7));
          layer.edit().directory(path("d"), own);
          layer.file("d/empty", "").file("d/hello", "hello\n");
          layer.file("d/own", new byte[10_000], own);
          layer.link("short", "x".repeat(59)).link("long", longTarget).link("to", "d/hello");
          layer.hardLink("d/other", "d/hello").hardLink("alsoTo", "to");
          layer.special("null", FileType.CHARACTER_DEVICE, 1, 3);
          layer.special("big", FileType.BLOCK_DEVICE, 259, 70_000);
          layer.special("pipe", FileType.FIFO, 0, 0).special("sock", FileType.SOCKET, 0, 0);
        });
    assertEquals(
        """
        . drwxrwxrwt 5:6 3 1970-01-01T00:00:07.0000000000 4096 []
        alsoTo lrwxrwxrwx 0:0 2 2001-09-09T01:46:40.0000000000 7 [d/hello]
        big brw-r--r-- 0:0 1 2001-09-09T01:46:40.0000000000 0 []
        d drwsr-s--t 100000:4000000000 2 2286-11-20T17:46:40.1234567890 4096 []
        d/empty -rw-r--r-- 0:0 1 2001-09-09T01:46:40.0000000000 0 []
        d/hello -rw-r--r-- 0:0 2 2001-09-09T01:46:40.0000000000 6 []
        d/other -rw-r--r-- 0:0 2 2001-09-09T01:46:40.0000000000 6 []
        d/own -rwsr-s--t 100000:4000000000 1 2286-11-20T17:46:40.1234567890 10000 []
        long lrwxrwxrwx 0:0 1 2001-09-09T01:46:40.0000000000 60 [%s]
        null crw-r--r-- 0:0 1 2001-09-09T01:46:40.0000000000 0 []
        pipe prw-r--r-- 0:0 1 2001-09-09T01:46:40.0000000000 0 []
        short lrwxrwxrwx 0:0 1 2001-09-09T01:46:40.0000000000 59 [%s]
        sock srw-r--r-- 0:0 1 2001-09-09T01:46:40.0000000000 0 []
        to lrwxrwxrwx 0:0 2 2001-09-09T01:46:40.0000000000 7 [d/hello]
        """
            .formatted(longTarget, "x".repeat(59)),
        disk.mounted(
            "TZ=UTC find . -printf '%p %M %U:%G %n %TY-%Tm-%TdT%TT %s [%l]\\n'"
                + " | sed 's,^\\./,,' | LC_ALL=C sort"));
    assertEquals(
        "1:3 259:70000\nhello\n",
        disk.mounted(
            "echo $(stat -c '%Hr:%Lr' null big); cat to; cmp d/own <(head -c 10000 /dev/zero)"));
  }

  @Test
  void whiteoutHidesLowerLayers() throws IOException {
    Layer.apply(
        disk, layer -> layer.file("d/a/b/c", "1").file("d/a/e", "2").file("f", "3").file("g", "4"));
    Layer.apply(
        disk,
        layer -> layer.whiteout("f").whiteout("d/a").whiteout("missing").whiteout("no/way/x"));
    assertEquals("d g", list());
  }

  @Test
  void whiteoutKeepsEntriesOfItsOwnLayer() throws IOException {
    Layer.Content lower = layer -> layer.file("d/a/old", "1").file("d/b/old", "1").file("f", "1");
    Layer.apply(disk, lower);
    Layer.apply(
        disk, layer -> layer.file("d/a/new", "2").file("f", "2").whiteout("d").whiteout("f"));
    assertEquals("d d/a d/a/new f", list());
    Layer.apply(disk, lower);
    Layer.apply(
        disk, layer -> layer.whiteout("d").whiteout("f").file("d/a/new", "2").file("f", "2"));
    assertEquals("d d/a d/a/new f", list());
  }

  @Test
  void whiteoutSparesDirectoriesThatItsLayerListed() throws IOException {
    Layer.apply(disk, layer -> layer.file("d/a/old", "1").file("d/b/old", "1"));
    Layer.apply(disk, layer -> layer.directory("d/a").whiteout("d"));
    assertEquals("d d/a", list());
  }

  @Test
  void opaqueDirectoryKeepsSiblingsOfItsLayer() throws IOException {
    Layer.apply(disk, layer -> layer.file("d/a/old", "1").file("d/b/old", "1").file("d/f", "1"));
    Layer.apply(disk, layer -> layer.file("d/a/new", "2").opaque("d").file("d/g", "2"));
    assertEquals("d d/a d/a/new d/g", list());
    Layer.apply(disk, layer -> layer.opaque("d").opaque("missing/way").opaque("/"));
    assertEquals("", list());
  }

  @Test
  void hardLinkToLowerFileOutlivesItsWhiteout() throws IOException {
    Layer.apply(disk, layer -> layer.file("old", "kept"));
    Layer.apply(disk, layer -> layer.hardLink("new/name", "old").whiteout("old"));
    assertEquals("1 kept", disk.mounted("stat -c %h new/name | tr '\\n' ' '; cat new/name"));
  }

  @Test
  void hardLinksAcrossLayersShareTheFile() throws IOException {
    Layer.apply(disk, layer -> layer.file("a", "1").link("s", "a"));
    Layer.apply(disk, layer -> layer.hardLink("x/y/b", "a").hardLink("t", "s"));
    Layer.apply(disk, layer -> layer.hardLink("a", "a").hardLink("c", "x/y/b").file("x/y/b", "2"));
    assertEquals(
        "a 2 1\nc 2 1\nx/y/b 1 2\n",
        disk.mounted("for f in a c x/y/b; do echo $f $(stat -c %h $f) $(cat $f); done"));
    assertEquals("2 2", disk.mounted("echo -n $(stat -c %h s t)"));
  }

  @Test
  void hardLinkMayReplaceTheDirectoryThatItsTargetIsIn() throws IOException {
    Layer.apply(disk, layer -> layer.file("d/f", "1").file("d/g", "2"));
    Layer.apply(disk, layer -> layer.hardLink("d", "d/f"));
    assertEquals("1 1", disk.mounted("echo -n $(stat -c %h d) $(cat d)"));
  }

  @Test
  void hardLinksLeadToFilesOnly() throws IOException {
    Layer.apply(disk, layer -> layer.file("d/f", "1"));
    try (LayerEdit edit = LayerEdit.open(disk)) {
      UnrepresentableException e =
          assertThrows(UnrepresentableException.class, () -> edit.hardLink(path("x"), path("d")));
      assertEquals("/x: a hard link points to the directory /d", e.getMessage());
      assertThrows(NoSuchFileException.class, () -> edit.hardLink(path("x"), path("d/g")));
      assertThrows(UnrepresentableException.class, () -> edit.hardLink(path("x"), path("/")));
    }
  }

  @Test
  void filesAndDirectoriesGiveWayToEachOther() throws IOException {
    Layer.apply(disk, layer -> layer.file("d/a/b", "1").file("f", "1").link("s", "d"));
    Layer.apply(disk, layer -> layer.file("d", "2").directory("f").file("f/x", "2").directory("s"));
    assertEquals("d f f/x s", list());
    assertEquals("2", disk.mounted("test -d s && cat d"));
  }

  @Test
  void directoryThatMeetsADirectoryKeepsItsContents() throws IOException {
    Attributes first =
        new Attributes(0700, 1, 2, Timestamp.EPOCH, List.of(xattr("user.big", new byte[2000])));
    Layer.apply(
        disk,
        layer -> {
          layer.edit().directory(path("d"), first);
          layer.file("d/f", "1");
        });
    Layer.apply(disk, layer -> layer.edit().directory(path("d"), attributes(0711, 3, 4, 5)));
    assertEquals(
        "711 3:4 5 8",
        disk.mounted("stat -c '%a %u:%g %Y %b' d | tr -d '\\n'; cat d/f >/dev/null"));
  }

  @Test
  void repeatedEntriesLeaveTheLast() throws IOException {
    Layer.apply(
        disk,
        layer ->
            layer
                .file("f", "one")
                .hardLink("g", "f")
                .file("f", "two")
                .link("f", "g")
                .file("f", "three"));
    assertEquals("three one 1 1", disk.mounted("echo -n $(cat f) $(cat g) $(stat -c %h f g)"));
  }

  @Test
  void symbolicLinksOnTheWayAreFollowedInsideTheFileSystem() throws IOException {
    Layer.apply(
        disk,
        layer ->
            layer
                .directory("real/deep")
                .link("abs", "/real")
                .link("up", "../../../../real/./deep/")
                .link("real/back", "..")
                .link("dangling", "not/yet"));
    Layer.apply(
        disk,
        layer ->
            layer
                .file("abs/one", "1")
                .file("up/two", "2")
                .file("real/back/three", "3")
                .file("dangling/four", "4")
                .whiteout("abs/nothing"));
    assertEquals(
        "abs dangling not not/yet not/yet/four real real/back real/deep real/deep/two real/one"
            + " three up",
        list());
  }

  /// The link `b` leads to the root, so `b/b` is the link itself. The library resolves the parent
  /// directory before it removes the existing entry.
  @Test
  void aFileMayReplaceASymbolicLinkOfItsOwnPath() throws IOException {
    Layer.apply(disk, layer -> layer.link("b", "/"));
    Layer.apply(disk, layer -> layer.file("b/b", "1"));
    assertEquals("b", list());
    assertEquals("1", disk.mounted("cat b"));
  }

  @Test
  void refusesAFileInTheMiddleOfAPath() throws IOException {
    Layer.apply(
        disk, layer -> layer.file("f", "1").link("loop", "loop").link("far", "x".repeat(256)));
    try (LayerEdit edit = LayerEdit.open(disk)) {
      Layer layer = new Layer(edit);
      UnrepresentableException e =
          assertThrows(UnrepresentableException.class, () -> layer.file("f/g", "2"));
      assertEquals("/f/g: f is on the way, and is not a directory", e.getMessage());
      assertThrows(UnrepresentableException.class, () -> layer.file("loop/g", "2"));
      assertThrows(UnrepresentableException.class, () -> layer.file("far/g", "2"));
      assertThrows(UnrepresentableException.class, () -> layer.file("/", "2"));
      assertThrows(UnrepresentableException.class, () -> layer.whiteout("/"));
      layer.whiteout("f/g").whiteout("loop/x").opaque("loop").opaque("f");
    }
  }

  @Test
  void fortySymbolicLinksAreFollowedAndNoMore() throws IOException {
    Layer.apply(
        disk,
        layer -> {
          layer.directory("l0");
          for (int i = 1; i <= 41; i++) {
            layer.link("l" + i, "l" + (i - 1));
          }
          layer.file("l40/f", "1");
          assertThrows(UnrepresentableException.class, () -> layer.file("l41/g", "1"));
        });
  }

  @Test
  void attributesInTheInodeAndInABlockAreKept() throws IOException {
    Attributes small =
        new Attributes(
            0755,
            0,
            0,
            Timestamp.EPOCH,
            List.of(
                xattr("security.capability", hex("0100000200200000000000000000000000000000")),
                xattr("user.a", (byte) 'x')));
    Attributes large =
        new Attributes(
            0600,
            0,
            0,
            Timestamp.EPOCH,
            List.of(xattr("user.long", "v".repeat(3000).getBytes(UTF_8))));
    Layer.apply(
        disk,
        layer -> {
          layer.file("ping", "x".getBytes(UTF_8), small).file("big", new byte[5000], large);
          layer.edit().symbolicLink(path("l"), large, Bytes.of("y".repeat(99).getBytes(UTF_8)));
          layer.edit().special(path("p"), large, FileType.FIFO, new DeviceNumber(0, 0));
        });
    assertEquals(
        """
        security.capability=0x0100000200200000000000000000000000000000
        user.a=0x78
        3000
        """,
        disk.mounted(
            "getfattr -d -m - -e hex ping | grep =; getfattr --only-values -n user.long big"
                + " | wc -c"));
    Layer.apply(disk, layer -> layer.whiteout("big").whiteout("l").whiteout("p"));
    assertEquals("ping", list());
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  @Test
  void emptyLayerWritesNothing() throws IOException {
    long before = disk.writes();
    Layer.apply(disk, layer -> layer.whiteout("x"));
    assertEquals(before, disk.writes());
  }

  @Test
  void oneSmallFileTouchesFewBlocks() throws IOException {
    Layer.apply(disk, layer -> layer.file("d/e/f", "1"));
    long before = disk.writes();
    Layer.apply(disk, layer -> layer.file("d/e/g", "2"));
    assertTrue(disk.writes() - before <= 8, "written: " + (disk.writes() - before));
  }

  @Test
  void kernelWritesToIt() throws IOException {
    Layer.apply(disk, layer -> layer.file("d/f", "1").file("gone", "x".repeat(9000)));
    disk.mountedWritable(
        "rm gone; cp -r /usr/include/linux d/; mkdir -p many;"
            + " for i in $(seq 500); do echo $i > many/$i; done; setfattr -n user.x -v y d/f");
    disk.check();
    assertEquals("500\n", disk.mounted("ls many | wc -l"));
  }
}
