package dev.pvcpopulators.registry.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.TarBytes;
import dev.pvcpopulators.it.TarWriter;
import dev.pvcpopulators.registry.Descriptor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests layers that are truncated, damaged, endless or inconsistent.
@Timeout(1200)
class HostileLayersTest {
  private static final int MIB = 1 << 20;

  private final FakeStore store = new FakeStore();

  /// A stream that repeats the same bytes.
  private static final class Repeated extends InputStream {
    private final byte[] pattern;
    private long left;
    private int at;

    Repeated(byte[] pattern, long times) {
      this.pattern = pattern;
      this.left = Math.multiplyExact(times, pattern.length);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (left == 0) {
        return -1;
      }
      int count = (int) Math.min(left, Math.min(length, pattern.length - at));
      System.arraycopy(pattern, at, target, offset, count);
      at = (at + count) % pattern.length;
      left -= count;
      return count;
    }
  }

  /// A stream that returns some bytes and then blocks until it is closed.
  private static final class Stuck extends InputStream {
    private final InputStream head;
    final CountDownLatch blocked = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    Stuck(byte[] head) {
      this.head = new ByteArrayInputStream(head);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = head.read(target, offset, length);
      if (count >= 0) {
        return count;
      }
      blocked.countDown();
      boolean interrupted = false;
      while (true) {
        try {
          closed.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      throw new IOException("Socket closed");
    }

    @Override
    public void close() {
      closed.countDown();
    }

    boolean isClosed() {
      return closed.getCount() == 0;
    }
  }

  private FoundDisk find(Descriptor... layers) throws IOException {
    return DiskSearch.find(FakeStore.image(layers), store, DiskPath.DEFAULT, SearchListener.NONE);
  }

  private byte[] read(Descriptor... layers) throws IOException {
    try (FoundDisk disk = find(layers);
        InputStream stream = disk.open()) {
      ByteArrayOutputStream content = new ByteArrayOutputStream();
      stream.transferTo(content);
      return content.toByteArray();
    }
  }

  private static byte[] disk(Random random) {
    byte[] disk = new byte[3 * MIB];
    random.nextBytes(disk);
    Arrays.fill(disk, MIB, 2 * MIB, (byte) 0);
    return disk;
  }

  private static byte[] layer(Random random) {
    return new TarWriter()
        .directory("disk/")
        .file("etc/before", "b".repeat(5_000))
        .file("disk/a.img", disk(random))
        .file("etc/after", "a".repeat(5_000))
        .bytes();
  }

  private static byte[] compressed(String tool, byte[] layer) {
    return tool.equals("tar") ? layer : Command.of(tool, "-1", "-c").bytes(layer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tar", "gzip", "zstd", "xz", "bzip2", "lz4"})
  @Tag("tools")
  void anyCompressionIsRecognised(String tool) throws IOException {
    byte[] layer = compressed(tool, layer(new Random(1)));
    // The layer has the media type for gzip, whatever its actual compression is.
    assertArrayEquals(disk(new Random(1)), read(store.add(FakeStore.TAR_GZIP, layer)));
  }

  /// The digest matches the truncated layer, so only the tar reader and the decompressor can detect
  /// the truncation.
  @ParameterizedTest
  @ValueSource(strings = {"tar", "gzip", "zstd"})
  @Tag("tools")
  void aCutLayerNeverGivesAWholeDisk(String tool) throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] plain = layer(new Random(seed));
    byte[] whole = compressed(tool, plain);
    int afterData = plain.length - 1024 - (5_120 - 5_000);
    int afterDisk = afterData - 5_000 - 512;
    int[] lengths = new int[42];
    Arrays.setAll(lengths, i -> i < 20 ? i * 29 : random.nextInt(whole.length));
    lengths[39] = whole.length - 1;
    lengths[40] = Math.min(afterData, whole.length - 1);
    lengths[41] = Math.min(afterDisk, whole.length - 1);
    for (int length : lengths) {
      Descriptor layer = store.add(FakeStore.TAR, Arrays.copyOf(whole, length));
      String what = tool + " cut to " + length + ", seed " + seed;
      // A tar is valid without the zero blocks at its end. It is also valid if it ends directly
      // after an entry (`afterDisk`), or after the data of an entry without the padding
      // (`afterData`).
      if (tool.equals("tar")
          && (length >= plain.length - 1024 || length == afterData || length == afterDisk)) {
        assertArrayEquals(disk(new Random(seed)), read(layer), what);
      } else {
        assertThrows(IOException.class, () -> read(layer), what);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tar", "gzip", "zstd"})
  @Tag("tools")
  void aCutLayerDoesNotHaveItsDigest(String tool) throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] whole = compressed(tool, layer(new Random(seed)));
    Descriptor layer = store.add(FakeStore.TAR, whole);
    for (int i = 0; i < 30; i++) {
      int length = i == 0 ? whole.length - 1 : random.nextInt(whole.length);
      store.replace(layer, Arrays.copyOf(whole, length));
      assertThrows(
          IOException.class, () -> read(layer), tool + " cut to " + length + ", seed " + seed);
    }
    store.replace(layer, Arrays.copyOf(whole, whole.length + 1));
    assertThrows(IOException.class, () -> read(layer));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tar", "gzip", "zstd"})
  @Tag("tools")
  void aFlippedBitIsAlwaysNoticed(String tool) throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] whole = compressed(tool, layer(new Random(seed)));
    Descriptor layer = store.add(FakeStore.TAR, whole);
    for (int i = 0; i < 60; i++) {
      int at = i < 20 ? i : random.nextInt(whole.length);
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      store.replace(layer, damaged);
      IOException thrown =
          assertThrows(IOException.class, () -> read(layer), tool + " at " + at + ", seed " + seed);
      assertTrue(
          thrown instanceof MalformedImageException
              || thrown instanceof DigestMismatchException
              || thrown instanceof UnsupportedFeatureException,
          () -> tool + " at " + at + ", seed " + seed + ": " + thrown);
    }
  }

  @Test
  void aWrongHeaderChecksumIsDamage() {
    byte[] layer = new TarWriter().file("disk/a.img", "a").bytes();
    layer[0] = 'D';
    Descriptor wrong = store.add(FakeStore.TAR, layer);
    MalformedImageException thrown = assertThrows(MalformedImageException.class, () -> read(wrong));
    assertTrue(String.valueOf(thrown.getMessage()).contains("checksum"));
  }

  @Test
  void aNonTarIsDamage() {
    byte[] noise = new byte[5_000];
    new Random(3).nextBytes(noise);
    assertThrows(MalformedImageException.class, () -> read(store.add(FakeStore.TAR, noise)));
    byte[] text = "It works!\n".repeat(200).getBytes(UTF_8);
    assertThrows(MalformedImageException.class, () -> read(store.add(FakeStore.TAR, text)));
  }

  /// The reader of the disk must also read the data after the tar and after the compressed stream.
  /// Wrong data there must cause an exception.
  @Test
  @Tag("tools")
  void readsBehindTheTar() throws IOException {
    byte[] tar =
        new TarWriter().file("disk/a.img", "a").raw(new byte[1024]).raw(new byte[MIB]).open();
    Descriptor padded = store.add(FakeStore.TAR, tar);
    assertEquals("a", new String(read(padded), UTF_8));
    byte[] other = tar.clone();
    other[other.length - 1] = 1;
    store.replace(padded, other);
    assertThrows(DigestMismatchException.class, () -> read(padded));
    byte[] gzip = compressed("gzip", tar);
    Descriptor zeros = store.add(FakeStore.TAR, Arrays.copyOf(gzip, gzip.length + 600));
    assertEquals("a", new String(read(zeros), UTF_8));
    byte[] garbage = Arrays.copyOf(gzip, gzip.length + 600);
    garbage[gzip.length + 500] = 1;
    Descriptor behind = store.add(FakeStore.TAR, garbage);
    assertThrows(MalformedImageException.class, () -> read(behind));
  }

  /// umoci omits the padding of the last block, and the zero blocks at the end of the archive.
  @Test
  void theLastBlockNeedsNoPadding() throws IOException {
    byte[] tar = new TarWriter().file("disk/a.img", "abc").open();
    for (int length : new int[] {515, 516, 1023, 1024}) {
      byte[] cut = Arrays.copyOf(tar, length);
      if (length == 515 || length == 1024) {
        assertEquals("abc", new String(read(store.add(FakeStore.TAR, cut)), UTF_8));
      } else {
        assertThrows(
            MalformedImageException.class, () -> read(store.add(FakeStore.TAR, cut)), "" + length);
      }
    }
    byte[] within = Arrays.copyOf(tar, 514);
    assertThrows(MalformedImageException.class, () -> read(store.add(FakeStore.TAR, within)));
  }

  @Test
  void aFailureStays() throws IOException {
    byte[] layer = layer(new Random(1));
    Descriptor cut = store.add(FakeStore.TAR, Arrays.copyOf(layer, 2 * MIB));
    try (FoundDisk disk = find(cut);
        InputStream stream = disk.open()) {
      IOException first = assertThrows(IOException.class, stream::readAllBytes);
      assertSame(first, assertThrows(IOException.class, stream::read));
    }
  }

  /// The header announces a huge file, but the tar ends earlier.
  @Test
  void aHugeLengthIsACut() throws IOException {
    byte[] layer =
        new TarWriter()
            .raw(TarBytes.header("disk/a.img", '0', "", Long.MAX_VALUE))
            .raw(new byte[5_120])
            .open();
    try (FoundDisk disk = find(store.add(FakeStore.TAR, layer));
        InputStream stream = disk.open()) {
      assertEquals(Long.MAX_VALUE, disk.length().orElseThrow());
      assertThrows(MalformedImageException.class, stream::readAllBytes);
    }
    byte[] negative = new TarWriter().raw(TarBytes.header("disk/a.img", '0', "", -1)).open();
    assertThrows(IOException.class, () -> read(store.add(FakeStore.TAR, negative)));
  }

  /// Returns a few megabytes of zstd data that expand to `before` and then at least `zeros` zero
  /// bytes.
  private static byte[] zstdOfZeros(byte[] before, long zeros) throws IOException {
    ByteArrayOutputStream zstd = new ByteArrayOutputStream();
    zstd.writeBytes(Command.of("zstd", "-1", "-c").bytes(before));
    byte[] chunk = Command.of("zstd", "-1", "-c").bytes(new byte[256 * MIB]);
    for (long done = 0; done < zeros; done += 256 * MIB) {
      zstd.writeBytes(chunk);
    }
    return zstd.toByteArray();
  }

  private Descriptor endless(byte[] before, byte[] pattern) {
    return store.add(
        FakeStore.TAR,
        before.length + 1,
        () ->
            new SequenceInputStream(
                new ByteArrayInputStream(before), new Repeated(pattern, 1L << 40)));
  }

  static Stream<String> boundsDataBesideTheDisk() {
    return Rounds.oneOf(3, List.of("behind the archive", "behind the disk", "before the disk"));
  }

  /// Tests the limit of decompressed bytes outside the disk: before the disk, after the disk, and
  /// after the end of the archive.
  @ParameterizedTest
  @MethodSource
  @Tag("tools")
  void boundsDataBesideTheDisk(String where) throws IOException {
    long length = 17L << 30;
    byte[] before =
        switch (where) {
          case "before the disk" -> TarBytes.header("etc/zeros", '0', "", length);
          case "behind the disk" ->
              new TarWriter()
                  .file("disk/a.img", "a")
                  .raw(TarBytes.header("z", '0', "", length))
                  .open();
          default -> new TarWriter().file("disk/a.img", "a").bytes();
        };
    Descriptor layer = store.add(FakeStore.TAR_GZIP, zstdOfZeros(before, length));
    UnsupportedFeatureException thrown =
        assertThrows(UnsupportedFeatureException.class, () -> read(layer));
    assertTrue(String.valueOf(thrown.getMessage()).contains("beside its disk"), thrown::toString);
  }

  /// The limit of decompressed bytes must not apply to the disk: a raw disk may contain only zeros.
  @Test
  @Tag("nightly")
  void theDiskItselfMayBeZeros() throws IOException {
    long length = 17L << 30;
    byte[] before = TarBytes.header("disk/a.img", '0', "", length);
    Descriptor layer = store.add(FakeStore.TAR_GZIP, zstdOfZeros(before, length));
    try (FoundDisk disk = find(layer);
        InputStream stream = disk.open()) {
      assertEquals(length, stream.transferTo(OutputStream.nullOutputStream()));
    }
  }

  @Test
  void endlessHeadersAreBounded() {
    byte[] name = new TarWriter().entry("x", 'L').end().open();
    assertThrows(MalformedImageException.class, () -> read(endless(new byte[0], name)));
    byte[] pax = new TarWriter().entry("x", 'x').data("20 comment=xxxxxxxx\n").end().open();
    assertThrows(MalformedImageException.class, () -> read(endless(new byte[0], pax)));
  }

  /// The heap is too small for all names, so the search must not keep the names.
  @Test
  void manyNamesTakeNoMemory() throws IOException {
    byte[] name = new TarWriter().empty("etc/" + "n".repeat(90)).open();
    Descriptor layer =
        store.add(
            FakeStore.TAR,
            1,
            () ->
                new SequenceInputStream(
                    new Repeated(name, 500_000),
                    new ByteArrayInputStream(new TarWriter().file("disk/a", "a").bytes())));
    assertEquals("a", new String(read(layer), UTF_8));
  }

  @Test
  void endlessNamesInTheDirectoryEnd() {
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (int i = 0; i < 2_000; i++) {
      names.writeBytes(new TarWriter().file(String.format(Locale.ROOT, "disk/%d", i), "x").open());
    }
    Descriptor layer = endless(new byte[0], names.toByteArray());
    assertThrows(UnsupportedFeatureException.class, () -> read(layer));
  }

  @Test
  void endlessSubdirectoriesAndUnmatchedNamesAreNotKept() throws IOException {
    byte[] below = new TarWriter().file("disk/sub/x", "x").open();
    Descriptor layer =
        store.add(
            FakeStore.TAR,
            1,
            () ->
                new SequenceInputStream(
                    new Repeated(below, 200_000),
                    new ByteArrayInputStream(new TarWriter().bytes())));
    assertThrows(UnsupportedFeatureException.class, () -> read(layer));
  }

  /// The search must skip holes without reading them. All holes together have about 7 TiB.
  @Test
  void sparseFilesBeforeTheDiskTakeNoTime() throws IOException {
    TarWriter layer = new TarWriter();
    for (int i = 0; i < 1_000; i++) {
      layer.raw(TarBytes.sparseHeader("etc/huge" + i, 7L << 30, 512)).raw(new byte[512]);
    }
    byte[] tar = layer.file("disk/a.img", "a").bytes();
    assertEquals("a", new String(read(store.add(FakeStore.TAR, tar)), UTF_8));
  }

  @Test
  void aLayerThatChangedIsNoticed() throws IOException {
    byte[] first = new TarWriter().file("disk/a.img", "first").bytes();
    Descriptor layer = store.add(FakeStore.TAR, first);
    try (FoundDisk disk = find(layer)) {
      assertEquals("first", content(disk));
      assertEquals("first", content(disk));
      store.replace(layer, new TarWriter().file("disk/a.img", "other").bytes());
      assertThrows(DigestMismatchException.class, () -> content(disk));
      store.replace(layer, new TarWriter().file("disk/a.img", "longer").bytes());
      assertThrows(DigestMismatchException.class, disk::open);
      store.replace(layer, new TarWriter().file("disk/b.img", "first").bytes());
      assertThrows(DigestMismatchException.class, disk::open);
      store.replace(layer, new TarWriter().file("other", "first").bytes());
      assertThrows(DigestMismatchException.class, disk::open);
      store.replace(layer, first);
      assertEquals("first", content(disk));
    }
  }

  private static String content(FoundDisk disk) throws IOException {
    try (InputStream stream = disk.open()) {
      return new String(stream.readAllBytes(), UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tar", "gzip", "zstd"})
  @Tag("tools")
  void closingEndsAReadThatIsBlocked(String tool) throws Exception {
    byte[] whole = compressed(tool, layer(new Random(5)));
    Stuck stuck = new Stuck(Arrays.copyOf(whole, whole.length / 2));
    FoundDisk disk = find(store.add(FakeStore.TAR, whole.length, () -> stuck));
    InputStream stream = disk.open();
    FutureTask<IOException> reader =
        new FutureTask<>(() -> assertThrows(IOException.class, stream::readAllBytes));
    Thread.ofVirtual().start(reader);
    assertTrue(stuck.blocked.await(5, TimeUnit.MINUTES));
    disk.close();
    assertTrue(stuck.isClosed());
    assertFalse(reader.get(5, TimeUnit.MINUTES) instanceof MalformedImageException);
    assertThrows(IOException.class, disk::open);
    disk.close();
  }

  @Test
  void closingAnUnreadDiskEndsTheTransfer() throws Exception {
    byte[] whole = layer(new Random(5));
    Stuck stuck = new Stuck(Arrays.copyOf(whole, whole.length / 2));
    FoundDisk disk = find(store.add(FakeStore.TAR, whole.length, () -> stuck));
    disk.close();
    assertTrue(stuck.isClosed());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tar", "gzip"})
  @Tag("tools")
  void anInterruptEndsASearchThatIsBlocked(String tool) throws Exception {
    byte[] whole =
        compressed(
            tool, new TarWriter().file("etc/x", disk(new Random(6))).file("disk/a", "a").bytes());
    Stuck stuck = new Stuck(Arrays.copyOf(whole, whole.length / 2));
    Descriptor layer = store.add(FakeStore.TAR, whole.length, () -> stuck);
    FutureTask<IOException> search =
        new FutureTask<>(() -> assertThrows(IOException.class, () -> find(layer)));
    Thread thread = Thread.ofPlatform().start(search);
    assertTrue(stuck.blocked.await(5, TimeUnit.MINUTES));
    thread.interrupt();
    assertFalse(search.get(5, TimeUnit.MINUTES) instanceof MalformedImageException);
    assertTrue(stuck.isClosed());
  }

  @Test
  void propagatesExceptionsOfTheStore() {
    byte[] whole = layer(new Random(7));
    IOException lost = new IOException("connection lost");
    Descriptor layer =
        store.add(
            FakeStore.TAR,
            whole.length,
            () ->
                new SequenceInputStream(
                    new ByteArrayInputStream(whole, 0, 2 * MIB),
                    new InputStream() {
                      @Override
                      public int read() throws IOException {
                        throw lost;
                      }

                      @Override
                      public int read(byte[] target, int offset, int length) throws IOException {
                        throw lost;
                      }
                    }));
    assertSame(lost, assertThrows(IOException.class, () -> read(layer)));
  }
}
