package dev.pvcpopulators.imagetoqcow2layers.layer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.ext4.EntryPath;
import dev.pvcpopulators.ext4.Ext4;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.LayerEdit;
import dev.pvcpopulators.ext4.TreeReader;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Disk;
import dev.pvcpopulators.imagetoqcow2layers.fixture.MemoryDevice;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.TarWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayerApplicationTest {
  private static final Geometry GEOMETRY = new Geometry(64L << 20);

  /// Half of the JVM's default stack size on x86-64, in bytes.
  private static final int SMALL_STACK = 512 << 10;

  @TempDir Path directory;
  private final MemoryDevice device = new MemoryDevice(GEOMETRY.blockCount());

  @BeforeEach
  void format() throws IOException {
    Ext4.format(device, GEOMETRY);
  }

  private void apply(TarWriter tar) throws IOException {
    apply(new ByteArrayInputStream(tar.bytes()));
  }

  private void apply(InputStream tar) throws IOException {
    try (LayerEdit edit = LayerEdit.open(device)) {
      LayerApplication.apply(tar, edit);
      edit.finish();
    }
  }

  private boolean hasFile(String name) throws IOException {
    return TreeReader.open(device).file(EntryPath.ROOT.child(Name.of(name)), 512).isPresent();
  }

  /// Checks the disk with e2fsck, and returns the listing of [Disk#tree].
  private String tree() throws IOException {
    Path raw = directory.resolve("raw");
    device.save(raw);
    Command.run("e2fsck", "-fn", raw);
    String tree = Disk.tree(raw);
    Files.delete(raw);
    return tree;
  }

  private void assertMalformed(String part, TarWriter tar) {
    MalformedImageException e = assertThrows(MalformedImageException.class, () -> apply(tar));
    assertTrue(e.toString().contains(part), e.toString());
  }

  private void assertUnrepresentable(String part, TarWriter tar) {
    UnrepresentableException e = assertThrows(UnrepresentableException.class, () -> apply(tar));
    assertTrue(e.toString().contains(part), e.toString());
  }

  @Test
  @Tag("tools")
  void appliesEveryFormatOfGnuTar() throws Exception {
    Path source = Files.createDirectory(directory.resolve("source"));
    String script =
        """
        cd "$1"
        umask 022
        deep=dir/$(printf 'd%.0s' {1..120})/$(printf 'e%.0s' {1..120})
        mkdir -p $deep
        echo deep > $deep/file
        ln -s $(printf 't%.0s' {1..150}) long-link
        ln $deep/file hard
        touch -d '2001-02-03 04:05:06' dir/old
        chmod 6755 dir/old
        printf 'latin' > $(printf 'n\\351')
        dd if=/dev/urandom of=holes bs=4096 seek=1000 count=2 status=none
        dd if=/dev/urandom of=holes bs=4096 seek=5 count=1 conv=notrunc status=none
        truncate -s 10M holes
        chown 1234:5678 holes
        mkfifo fifo
        mknod device c 10 200
        """;
    Command.shell(script, source);
    String expected = Disk.listing(source);
    for (String options :
        new String[] {
          "--format=gnu",
          "--format=gnu --sparse",
          "--format=pax",
          "--format=pax --sparse --sparse-version=0.0",
          "--format=pax --sparse --sparse-version=0.1",
          "--format=pax --sparse",
          "--format=oldgnu",
          "--xattrs --xattrs-include=* --format=pax"
        }) {
      if (options.startsWith("--xattrs")) {
        Command.run("setfattr", "-n", "user.bin", "-v", "0x00ff3d0a2500", source.resolve("holes"));
        Command.run("setfattr", "-n", "trusted.dir", "-v", "0x80", source.resolve("dir"));
        expected = Disk.listing(source);
      }
      Path tar = directory.resolve("tar");
      Command.shell("tar -C \"$1\" " + options + " -cf \"$2\" .", source, tar);
      MemoryDevice fresh = new MemoryDevice(GEOMETRY.blockCount());
      Ext4.format(fresh, GEOMETRY);
      try (InputStream stream = new OneByOne(Files.newInputStream(tar));
          LayerEdit edit = LayerEdit.open(fresh)) {
        LayerApplication.apply(stream, edit);
        edit.finish();
      }
      Path raw = directory.resolve("raw");
      fresh.save(raw);
      Command.run("e2fsck", "-fn", raw);
      // Only the pax format stores fractions of seconds.
      boolean nanoseconds = options.contains("pax");
      assertEquals(
          nanoseconds ? expected : wholeSeconds(expected),
          nanoseconds ? Disk.tree(raw) : wholeSeconds(Disk.tree(raw)),
          options);
      Files.delete(raw);
    }
  }

  private static String wholeSeconds(String tree) {
    return tree.replaceAll("\\.[0-9]{10}", "");
  }

  /// A stream whose reads may return fewer bytes than requested.
  private static final class OneByOne extends InputStream {
    private final InputStream stream;
    private int turn;

    OneByOne(InputStream stream) {
      this.stream = stream;
    }

    @Override
    public int read() throws IOException {
      return stream.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return stream.read(target, offset, Math.min(length, 1 + turn++ * 977 % 5000));
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  @Test
  @Tag("tools")
  void keepsOnlyAttributesThatExt4Holds() throws Exception {
    TarWriter tar = new TarWriter();
    tar.extended('g', "comment", "for all");
    tar.pax("SCHILY.xattr.user.kept", "1", "SCHILY.xattr.system.nfs4_acl", "x").file("a", "1");
    tar.pax("SCHILY.xattr.user.dropped", "1", "SCHILY.xattr.trusted.kept", "2")
        .symbolicLink("b", "a");
    tar.pax("SCHILY.acl.access", "user::rw-,group::r--,other::r--").file("c", "");
    tar.file(".wh.gone", "").file(".wh..wh..opq", "").file(".wh..wh.aufs", "");
    apply(tar);
    String tree = tree();
    assertTrue(tree.contains("user.kept=0x31\n"), tree);
    assertFalse(tree.contains("dropped"), tree);
    assertFalse(tree.contains("acl"), tree);
    assertFalse(tree.contains(".wh."), tree);
    assertTrue(tree.contains("trusted.kept=0x32"), tree);
  }

  @Test
  @Tag("tools")
  void takesAttributesOfLibarchive() throws Exception {
    apply(
        new TarWriter()
            .pax(
                "LIBARCHIVE.xattr.user.only%3D", "AP8",
                "LIBARCHIVE.xattr.user.both", "AAAA",
                "SCHILY.xattr.user.both", "raw")
            .file("a", ""));
    String tree = tree();
    assertTrue(tree.contains("user.both=0x726177"), tree);
    assertTrue(tree.contains("user.only\\075=0x00ff"), tree);
  }

  @Test
  @Tag("tools")
  void keepsEverythingBelowTheRoot() throws Exception {
    TarWriter tar = new TarWriter();
    tar.file("../../../a", "1").file("/b", "1").file("x/../../c", "1").file("./././d//e", "1");
    tar.symbolicLink("out", "../../../../d").file("out/f", "1");
    tar.symbolicLink("absolute", "/d").file("absolute/g", "1");
    tar.hardLink("h", "../../../../a").directory("//").directory("..");
    apply(tar);
    String tree = tree();
    for (String name : new String[] {"a", "b", "c", "d/e", "d/f", "d/g", "h"}) {
      assertTrue(tree.contains("\n./" + name + "|f") || tree.startsWith("./" + name), tree);
    }
  }

  @Test
  void refusesNamesThatLinuxDoesNotKnow() {
    assertMalformed("255", new TarWriter().pax("path", "n".repeat(256)).file("-", ""));
    assertMalformed("4096", new TarWriter().pax("path", "n/".repeat(2049)).file("-", ""));
    assertMalformed("NUL", new TarWriter().pax("path", "a\0b").file("-", ""));
    assertMalformed("root", new TarWriter().file("..", ""));
    assertMalformed("whiteout", new TarWriter().file("a/.wh.", ""));
    assertMalformed("whiteout", new TarWriter().file("a/.wh..", ""));
    assertMalformed("whiteout", new TarWriter().file("a/.wh...", ""));
  }

  @Test
  void refusesLinksToNowhere() {
    assertMalformed("/b", new TarWriter().hardLink("a", "b"));
    assertMalformed("root", new TarWriter().hardLink("a", ".."));
    assertUnrepresentable("directory", new TarWriter().directory("d").hardLink("a", "d"));
    assertUnrepresentable("a", new TarWriter().symbolicLink("a", ""));
    assertUnrepresentable(
        "a", new TarWriter().pax("linkpath", "x".repeat(4096)).symbolicLink("a", "-"));
    assertUnrepresentable("", new TarWriter().symbolicLink("a", "a").file("a/b", ""));
  }

  @ParameterizedTest
  @ValueSource(chars = {'N', 'D', 'M', 'Z', '\u007f'})
  void refusesUnknownKinds(char type) {
    TarWriter tar = new TarWriter().entry("odd", type).end();
    UnsupportedFeatureException e =
        assertThrows(UnsupportedFeatureException.class, () -> apply(tar));
    assertTrue(e.toString().contains("odd"), e.toString());
  }

  @Test
  void passesOverGnuVolumeHeaders() throws Exception {
    apply(new TarWriter().entry("label", 'V').end().file("a", ""));
    assertTrue(hasFile("a"));
    assertFalse(hasFile("label"));
  }

  @Test
  void refusesNumbersOutOfBounds() {
    assertMalformed("owner", new TarWriter().pax("uid", "4294967296").file("a", ""));
    assertMalformed("owner", new TarWriter().pax("gid", "-2147483649").file("a", ""));
    assertMalformed("4096:0", new TarWriter().entry("d", '3').device(4096, 0).end());
    assertMalformed("0:1048576", new TarWriter().entry("d", '4').device(0, 1 << 20).end());
    assertMalformed("", new TarWriter().pax("size", "-1").file("a", ""));
    assertMalformed("", new TarWriter().pax("size", "9".repeat(30)).file("a", ""));
    assertMalformed("", new TarWriter().pax("mtime", "1e9").file("a", ""));
    assertMalformed("no data", new TarWriter().entry("a", '2').link("b").data("x").end());
  }

  @Test
  void refusesFilesThatAreTooLarge() {
    TarWriter large = new TarWriter().entry("large", '0').length(Long.MAX_VALUE - 1023).end();
    assertThrows(IOException.class, () -> apply(large));
    TarWriter cut = new TarWriter().entry("cut", '0').length(1L << 40).end();
    FileSystemFullException full = assertThrows(FileSystemFullException.class, () -> apply(cut));
    assertTrue(full.required() >= 1L << 40, full.toString());
  }

  @Test
  void refusesAttributesThatDoNotFit() {
    assertUnrepresentable(
        "/a", new TarWriter().pax("SCHILY.xattr.user.large", "v".repeat(5000)).file("a", ""));
    assertUnrepresentable(
        "/a", new TarWriter().pax("SCHILY.xattr.user." + "n".repeat(300), "v").file("a", ""));
    assertMalformed("UTF-8", new TarWriter().pax("SCHILY.xattr.user.\377", "v").file("a", ""));
    assertMalformed("Base64", new TarWriter().pax("LIBARCHIVE.xattr.user.a", "*").file("a", ""));
  }

  @Test
  void boundsHeaders() {
    // The header announces 100 MB, but only 2 MiB follow. The code under test must not allocate
    // memory for all announced bytes.
    byte[] part = new byte[2 << 20];
    Arrays.fill(part, (byte) 'x');
    long claimed = 100_000_000;
    for (char type : new char[] {'L', 'K', 'x', 'g'}) {
      TarWriter header = new TarWriter();
      header.entry("././@LongLink", type).data(part).length(claimed).end().file("-", "");
      assertMalformed(type == 'L' || type == 'K' ? "1048576" : "", header);
    }
    TarWriter attribute = new TarWriter();
    attribute.pax("SCHILY.xattr.user.large", "v".repeat(1 << 20)).file("a", "");
    assertMalformed("1048576", attribute);
  }

  /// A parser that calls itself for each header would overflow the small stack of the test's
  /// thread.
  @Test
  void boundsHeadersBeforeOneEntry() throws Exception {
    for (char type : new char[] {'x', 'g', 'L', 'K'}) {
      TarWriter nested = new TarWriter();
      for (int i = 0; i < 3000; i++) {
        nested.entry("x", type).end();
      }
      byte[] tar = nested.file("a", "").bytes();
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread thread =
          new Thread(
              null,
              () ->
                  thrown.set(
                      assertThrows(Throwable.class, () -> apply(new ByteArrayInputStream(tar)))),
              "small",
              SMALL_STACK);
      thread.start();
      thread.join();
      assertInstanceOf(MalformedImageException.class, thrown.get(), "type " + type);
    }
  }

  /// GNU tar, Go and Docker ignore the bytes after the end of the archive.
  @ParameterizedTest
  @ValueSource(ints = {1, 100, 511, 512, 513, 9_216, 20_000, 300_000})
  void acceptsBytesAfterTheEnd(int length) throws IOException {
    byte[] garbage = new byte[length];
    Arrays.fill(garbage, (byte) 'x');
    byte[] tar = new TarWriter().file("a", "1").raw(new byte[1024]).raw(garbage).open();
    ByteArrayInputStream source = new ByteArrayInputStream(tar);
    apply(source);
    assertTrue(hasFile("a"));
    assertEquals(0, source.available(), "bytes that the digest did not see");
  }

  /// GNU tar also treats a single block of zeros as the end of the archive.
  @ParameterizedTest
  @ValueSource(ints = {100, 512, 700})
  void acceptsBytesAfterALoneBlockOfZeros(int length) throws IOException {
    byte[] garbage = new byte[length];
    Arrays.fill(garbage, (byte) 'x');
    byte[] tar = new TarWriter().file("a", "1").raw(new byte[512]).raw(garbage).open();
    ByteArrayInputStream source = new ByteArrayInputStream(tar);
    apply(source);
    assertTrue(hasFile("a"));
    assertEquals(0, source.available(), "bytes that the digest did not see");
  }

  @Test
  void refusesDataOfAFileWhoseNameEndsWithASlash() throws IOException {
    assertMalformed(
        "ends with a slash is a directory, found 3 bytes",
        new TarWriter().entry("d/", '0').data("abc").end().file("a", "1"));
    // An entry of type `0` without data is a directory if its name ends with `/` (as in archives
    // before POSIX).
    apply(new TarWriter().entry("d/", '0').end());
    // An entry of type `5` is a directory. The length in its header is a quota, and no data
    // follows.
    apply(new TarWriter().entry("q/", '5').length(512).end());
  }

  @Test
  void treatsGarbageAsDamage() {
    byte[] garbage = new byte[4096];
    Arrays.fill(garbage, (byte) 'x');
    assertMalformed("", new TarWriter().file("a", "1").raw(garbage));
    assertMalformed("", new TarWriter().raw("no tar at all".getBytes(UTF_8)));
  }
}
