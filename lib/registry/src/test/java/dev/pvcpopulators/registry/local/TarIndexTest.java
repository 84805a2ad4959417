package dev.pvcpopulators.registry.local;

import static dev.pvcpopulators.it.TarBytes.archive;
import static dev.pvcpopulators.it.TarBytes.entry;
import static dev.pvcpopulators.it.TarBytes.file;
import static dev.pvcpopulators.it.TarBytes.hardLink;
import static dev.pvcpopulators.it.TarBytes.header;
import static dev.pvcpopulators.it.TarBytes.joined;
import static dev.pvcpopulators.it.TarBytes.padded;
import static dev.pvcpopulators.it.TarBytes.record;
import static dev.pvcpopulators.it.TarBytes.symbolicLink;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.TarBytes;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TarIndexTest {
  private static final byte[] DATA = "the data".getBytes(UTF_8);

  /// The maximum length in bytes of the headers of one entry.
  private static final int EXTENSION_LENGTH = 1 << 20;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"v7", "ustar", "gnu", "pax"})
  @Tag("tools")
  void findsFilesOfGnuTar(String format) throws IOException {
    Tools tools = new Tools(directory);
    String longName =
        format.equals("v7") ? "dir/short" : "dir/" + "n".repeat(90) + "/" + "m".repeat(90);
    Path big = directory.resolve(longName);
    Files.createDirectories(Optional.ofNullable(big.getParent()).orElseThrow());
    Files.writeString(big, "long");
    Files.writeString(directory.resolve("ü"), "umlaut");
    Files.createLink(directory.resolve("zhard"), directory.resolve("ü"));
    Files.createSymbolicLink(directory.resolve("dir/soft"), Path.of("../zhard"));
    tools.run("tar", "--format", format, "--sort=name", "-cf", "t.tar", "./ü", "./zhard", "./dir");
    assertEquals(Optional.of("long"), find("t.tar", longName));
    assertEquals(Optional.of("umlaut"), find("t.tar", "ü"));
    assertEquals(Optional.of("umlaut"), find("t.tar", "zhard"));
    assertEquals(Optional.of("umlaut"), find("t.tar", "dir/soft"));
    assertEquals(Optional.empty(), find("t.tar", "dir"));
    assertEquals(Optional.empty(), find("t.tar", "dir/none"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "posix"})
  @Tag("tools")
  void refusesSparseFilesOfGnuTar(String format) throws IOException {
    Tools tools = new Tools(directory);
    tools.run("truncate", "-s", "1M", "hole");
    tools.run("tar", "--format", format, "--sparse", "-cf", "t.tar", "hole");
    assertThrows(UnsupportedFeatureException.class, () -> find("t.tar", "hole"));
  }

  @Test
  @Tag("tools")
  void findsAnEntryOfMoreThanEightGibibytes() throws IOException {
    Tools tools = new Tools(directory);
    for (String format : new String[] {"gnu", "posix"}) {
      // To store a file of 9 GiB, GNU tar would read all of it. So the test writes the archive
      // itself, with a hole as the content.
      long size = 9L << 30;
      byte[] head =
          format.equals("gnu")
              ? header("big", '0', "", base256(size))
              : joined(
                  entry("x", 'x', "", record("size", "" + size).getBytes(UTF_8)),
                  header("big", '0', "", "00000000000\0".getBytes(UTF_8)));
      Path tar = directory.resolve(format);
      try (FileChannel channel =
          FileChannel.open(tar, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(head));
        channel.write(ByteBuffer.wrap(archive(file("after", DATA))), head.length + size);
      }
      assertTrue(tools.run("tar", "-tvf", tar).contains("" + size));
      try (FileChannel channel = FileChannel.open(tar)) {
        TarIndex index = TarIndex.read(channel);
        assertEquals(Optional.of(new TarIndex.Span(head.length, size)), index.find("big"));
        assertTrue(index.find("after").isPresent());
      }
      Files.delete(tar);
    }
  }

  @Test
  void takesTheLastOfAName() throws IOException {
    byte[] other = "other".getBytes(UTF_8);
    assertEquals(Optional.of("other"), find(archive(file("a", DATA), file("./a", other)), "a"));
    assertEquals(
        Optional.empty(), find(archive(file("a", DATA), entry("a/", '5', "", new byte[0])), "a"));
    assertEquals(
        Optional.of("the data"),
        find(archive(file("a", DATA), hardLink("b", "a"), file("a", other)), "b"));
    assertEquals(
        Optional.of("other"),
        find(archive(file("a", DATA), symbolicLink("b", "a"), file("a", other)), "b"));
  }

  @Test
  void followsLinksOnlyInsideTheArchive() throws IOException {
    for (String target : new String[] {"/etc/passwd", "../../etc/passwd", "../a", "", ".", "d/"}) {
      assertEquals(
          Optional.empty(),
          find(archive(file("a", DATA), symbolicLink("b", target), file("d/x", DATA)), "b"),
          target);
    }
    assertEquals(
        Optional.of("the data"),
        find(archive(symbolicLink("d/b", "../c/./../a"), file("a", DATA)), "d/b"));
  }

  @Test
  void boundsLinks() throws IOException {
    assertEquals(Optional.of("the data"), find(chain(TarIndex.LINKS), "0"));
    assertEquals(Optional.empty(), find(chain(TarIndex.LINKS + 1), "0"));
    assertEquals(Optional.empty(), find(archive(symbolicLink("a", "a")), "a"));
    assertEquals(
        Optional.empty(), find(archive(symbolicLink("a", "b"), symbolicLink("b", "a")), "a"));
    assertEquals(Optional.empty(), find(archive(hardLink("a", "a")), "a"));
  }

  @Test
  void takesExtendedHeadersForOneEntryOnly() throws IOException {
    byte[] records =
        (record("path", "named/ü") + record("mtime", "1.5") + record("size", "8")).getBytes(UTF_8);
    byte[] tar =
        archive(
            entry("x", 'x', "", records),
            header("y", '0', "", "77777777777\0".getBytes(UTF_8)),
            padded(DATA),
            file("z", DATA));
    assertEquals(Optional.of("the data"), find(tar, "named/ü"));
    assertEquals(Optional.empty(), find(tar, "y"));
    assertEquals(Optional.of("the data"), find(tar, "z"));
  }

  @Test
  void takesNoDataForWhatHasNone() throws IOException {
    for (char type : new char[] {'1', '2', '3', '4', '5', '6'}) {
      byte[] tar =
          archive(
              entry("x", 'x', "", record("size", "512").getBytes(UTF_8)),
              header("none", type, "", "00000001000\0".getBytes(UTF_8)),
              file("a", DATA));
      assertEquals(Optional.of("the data"), find(tar, "a"), "type " + type);
    }
    byte[] unknown = archive(entry("none", 'Z', "", DATA), file("a", DATA));
    assertEquals(Optional.of("the data"), find(unknown, "a"));
    assertEquals(Optional.empty(), find(unknown, "none"));
  }

  @Test
  void takesNoPrefixFromGnuHeaders() throws IOException {
    byte[] header = header("a", '0', "", "%011o\0".formatted(DATA.length).getBytes(UTF_8));
    // GNU's header has times at the offset of the POSIX field `prefix`.
    TarBytes.put(header, 345, "13074364412".getBytes(UTF_8));
    byte[] posix = archive(TarBytes.checked(header), padded(DATA));
    assertEquals(Optional.of("the data"), find(posix, "13074364412/a"));
    TarBytes.put(header, 257, "ustar  \0".getBytes(UTF_8));
    byte[] gnu = archive(TarBytes.checked(header), padded(DATA));
    assertEquals(Optional.of("the data"), find(gnu, "a"));
  }

  @Test
  void refusesGlobalHeadersThatNameOrMeasure() throws IOException {
    byte[] comment = record("comment", "made by git archive").getBytes(UTF_8);
    assertEquals(
        Optional.of("the data"), find(archive(entry("g", 'g', "", comment), file("a", DATA)), "a"));
    byte[] size = record("size", "0").getBytes(UTF_8);
    assertThrows(
        UnsupportedFeatureException.class,
        () -> find(archive(entry("g", 'g', "", size), file("a", DATA)), "a"));
  }

  @Test
  void refusesDamagedHeaders() {
    byte[][] damaged = {
      header("a", '0', "", "8888888888 \0".getBytes(UTF_8)),
      header("a", '0', "", "-1         \0".getBytes(UTF_8)),
      header("a", '0', "", base256(-1)),
      header("a", '0', "", base256(Long.MAX_VALUE)),
      joined(new byte[] {(byte) 0xbf}, filled(11)),
      entry("x", 'x', "", "9 path=a\n0 ".getBytes(UTF_8)),
      entry("x", 'x', "", "99 path=a\n".getBytes(UTF_8)),
      entry("x", 'x', "", "4 a\n".getBytes(UTF_8)),
      entry("x", 'x', "", "path=a\n".getBytes(UTF_8)),
      entry("x", 'x', "", "99999999999999 path=a\n".getBytes(UTF_8)),
      entry("x", 'x', "", "9 path=a ".getBytes(UTF_8)),
      joined(entry("x", 'x', "", record("size", "-1").getBytes(UTF_8)), file("a", DATA)),
      joined(
          entry("x", 'x', "", record("size", "9223372036854775808").getBytes(UTF_8)),
          file("a", DATA)),
      joined(
          entry("x", 'x', "", record("size", "999999999999999999").getBytes(UTF_8)),
          file("a", DATA)),
    };
    damaged[4] = header("a", '0', "", damaged[4]);
    for (int i = 0; i < damaged.length; i++) {
      byte[] tar = archive(damaged[i]);
      assertThrows(MalformedImageException.class, () -> find(tar, "a"), "case " + i);
    }
  }

  @Test
  void refusesAnArchiveThatWasCutAnywhere() throws IOException {
    byte[] name = ("long/" + "n".repeat(200) + "\0").getBytes(UTF_8);
    byte[] whole =
        archive(
            file("a", DATA),
            entry("././@LongLink", 'L', "", name),
            file("short", DATA),
            entry("x", 'x', "", record("path", "pax").getBytes(UTF_8)),
            file("b", new byte[700]));
    int end = whole.length - 2 * TarBytes.BLOCK;
    for (int length = 0; length < end + TarBytes.BLOCK; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThrows(MalformedImageException.class, () -> find(cut, "a"), "length " + length);
    }
    // An archive may end with only one block of zeros.
    assertEquals(Optional.of("the data"), find(Arrays.copyOf(whole, end + TarBytes.BLOCK), "a"));
  }

  @Test
  void endsWithAnIndexOrARefusalForAnyBytes() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] valid =
        archive(
            entry("x", 'x', "", record("path", "pax").getBytes(UTF_8)),
            file("b", DATA),
            symbolicLink("c", "b"),
            hardLink("d", "pax"));
    for (int i = 0; i < 3_000; i++) {
      byte[] bytes = valid.clone();
      int header = random.nextInt(bytes.length / TarBytes.BLOCK) * TarBytes.BLOCK;
      byte[] block = Arrays.copyOfRange(bytes, header, header + TarBytes.BLOCK);
      for (int change = 0; change <= i % 8; change++) {
        block[random.nextInt(270)] = (byte) random.nextInt(256);
      }
      TarBytes.put(bytes, header, i % 2 == 0 ? TarBytes.checked(block) : block);
      try {
        find(bytes, "c");
      } catch (MalformedImageException | UnsupportedFeatureException _) {
        // A malformed archive may cause only these exceptions.
      } catch (RuntimeException e) {
        throw new AssertionError("Seed " + seed + ", round " + i, e);
      }
    }
  }

  @Test
  void boundsEntries() throws IOException {
    byte[] entry = entry("e", '0', "", new byte[0]);
    Path tar = directory.resolve("many");
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(tar))) {
      for (int i = 1; i < TarIndex.ENTRIES; i++) {
        out.write(entry);
      }
      out.write(archive(file("last", new byte[0])));
    }
    assertEquals(Optional.of(""), find("many", "last"));
    try (FileChannel channel = FileChannel.open(tar, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(archive(entry)), (long) TarIndex.ENTRIES * entry.length);
    }
    assertThrows(UnsupportedFeatureException.class, () -> find("many", "last"));
  }

  @Test
  void boundsNames() throws IOException {
    // Each entry has a name of 512 KiB in an extended header. Sixteen such names reach the limit
    // for all names together.
    int nameLength = 512 << 10;
    int count = TarIndex.NAMES_LENGTH / nameLength;
    byte[][] entries = new byte[count + 1][];
    for (int i = 0; i < count; i++) {
      byte[] path =
          record("path", "%02d".formatted(i) + "n".repeat(nameLength - 2)).getBytes(UTF_8);
      entries[i] = joined(entry("x", 'x', "", path), file("y", DATA));
    }
    entries[count] = new byte[0];
    String first = "00" + "n".repeat(nameLength - 2);
    assertEquals(Optional.of("the data"), find(archive(entries), first));
    entries[count] = file("y", DATA);
    assertThrows(UnsupportedFeatureException.class, () -> find(archive(entries), "y"));
  }

  @Test
  void boundsExtendedHeaders() throws IOException {
    String comment = record("comment", "c".repeat(EXTENSION_LENGTH - 17));
    byte[] longest = comment.getBytes(UTF_8);
    assertEquals(EXTENSION_LENGTH, longest.length);
    assertEquals(
        Optional.of("the data"), find(archive(entry("x", 'x', "", longest), file("a", DATA)), "a"));
    byte[] longer = record("comment", "c".repeat(EXTENSION_LENGTH - 16)).getBytes(UTF_8);
    for (char type : new char[] {'x', 'g', 'L', 'K'}) {
      assertThrows(
          MalformedImageException.class,
          () -> find(archive(entry("x", type, "", longer), file("a", DATA)), "a"));
    }
  }

  private static byte[] chain(int links) {
    byte[][] entries = new byte[links + 1][];
    for (int i = 0; i < links; i++) {
      entries[i] = symbolicLink("" + i, "" + (i + 1));
    }
    entries[links] = file("" + links, DATA);
    return archive(entries);
  }

  private static byte[] base256(long value) {
    byte[] field = ByteBuffer.allocate(12).putInt(value < 0 ? -1 : 0).putLong(value).array();
    field[0] |= (byte) 0x80;
    return field;
  }

  private static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 0xff);
    return bytes;
  }

  private Optional<String> find(byte[] tar, String name) throws IOException {
    // Creates a new file each time, because ext4 flushes a file that is truncated and rewritten.
    Files.deleteIfExists(directory.resolve("bytes"));
    Files.write(directory.resolve("bytes"), tar);
    return find("bytes", name);
  }

  private Optional<String> find(String tar, String name) throws IOException {
    try (FileChannel channel = FileChannel.open(directory.resolve(tar))) {
      Optional<TarIndex.Span> span = TarIndex.read(channel).find(name);
      if (span.isEmpty()) {
        return Optional.empty();
      }
      ByteBuffer data = ByteBuffer.allocate(Math.toIntExact(span.get().length()));
      channel.read(data, span.get().offset());
      return Optional.of(new String(data.array(), UTF_8));
    }
  }
}
