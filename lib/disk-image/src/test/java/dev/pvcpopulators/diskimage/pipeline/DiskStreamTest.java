package dev.pvcpopulators.diskimage.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.RawFile;
import dev.pvcpopulators.it.Command;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests imports whose disk can be used while the source arrives.
@Tag("tools")
@Timeout(1200)
class DiskStreamTest {
  private static final Command QEMU_IMG = Command.of("qemu-img");
  private static final int MIB = 1 << 20;

  /// The maximum number of bytes that a decompressor other than xz may hold back. The xz
  /// decompressor may hold back these bytes and, in addition, one chunk of LZMA2.
  private static final int PIECE = 16 << 10;

  private static final int WAIT_SECONDS = 600;

  @TempDir Path home;
  private Path raw = Path.of("");
  private byte[] disk = new byte[0];

  /// Makes a disk with zeros in the middle and at the end. Half of the other bytes are
  /// compressible.
  @BeforeEach
  void makeRawImage() throws IOException {
    raw = home.resolve("raw");
    disk = new byte[8 * MIB];
    new Random(42).nextBytes(disk);
    for (int i = 0; i < disk.length; i += 2) {
      disk[i] = 'x';
    }
    Arrays.fill(disk, 4 * MIB, 5 * MIB, (byte) 0);
    Arrays.fill(disk, disk.length - 100_000, disk.length, (byte) 0);
    Files.write(raw, disk);
  }

  private Path convert(String format, String... options) {
    Path image = home.resolve("image." + format);
    QEMU_IMG
        .with("convert", "-f", "raw", "-O", format)
        .with((Object[]) options)
        .with(raw, image)
        .bytes();
    return image;
  }

  /// A sink that records the order of its calls, and lets another thread wait for guest bytes.
  private static final class Watched implements DiskSink {
    private final DiskSink disk;
    private final List<String> calls = new ArrayList<>();
    private long told;
    private long awaited = Long.MAX_VALUE;
    private final CountDownLatch reached = new CountDownLatch(1);

    Watched(DiskSink disk) {
      this.disk = disk;
    }

    private synchronized void tell(String call, long length) {
      if (calls.isEmpty() || !calls.getLast().equals(call)) {
        calls.add(call);
      }
      told += length;
      if (told >= awaited) {
        reached.countDown();
      }
    }

    /// Waits until `guestBytes` guest bytes have arrived. Returns false if they have not arrived
    /// after `WAIT_SECONDS` seconds.
    boolean await(long guestBytes) {
      synchronized (this) {
        awaited = guestBytes;
        if (told >= awaited) {
          reached.countDown();
        }
      }
      try {
        return reached.await(WAIT_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void expect(long virtualSize) throws IOException {
      tell("expect " + virtualSize, 0);
      disk.expect(virtualSize);
    }

    @Override
    public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
      disk.write(guestOffset, source, offset, length);
      tell("write", length);
    }

    @Override
    public void zeros(long guestOffset, long length) throws IOException {
      disk.zeros(guestOffset, length);
      tell("zeros", length);
    }

    @Override
    public Staging staging(OptionalLong hostLength) throws IOException {
      tell("staging " + hostLength.orElse(-1), 0);
      return disk.staging(hostLength);
    }
  }

  /// A source that returns only its first `stall` bytes until the sink has received `awaited` guest
  /// bytes.
  private static final class Stalling extends FilterInputStream {
    private final Watched sink;
    private final int stall;
    private final long awaited;
    private int position;
    private boolean stalled;

    Stalling(byte[] source, int stall, Watched sink, long awaited) {
      super(new ByteArrayInputStream(source));
      this.sink = sink;
      this.stall = stall;
      this.awaited = awaited;
    }

    @Override
    public int available() throws IOException {
      return stalled ? super.available() : Math.min(super.available(), stall - position);
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (position == stall && !stalled) {
        stalled = true;
        assertTrue(sink.await(awaited), () -> sink.told + " of " + awaited + " bytes came");
      }
      int count = super.read(target, offset, stalled ? length : Math.min(length, stall - position));
      position += Math.max(count, 0);
      return count;
    }
  }

  private ImportedImage stream(InputStream source, OptionalLong length, DiskSink sink)
      throws IOException {
    return DiskImport.stream(source, length, sink, Optional.empty(), ImportListener.NONE);
  }

  private void requireDisk(Path arrived) {
    QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, arrived).bytes();
  }

  /// Imports a raw image, uncompressed and in each compression, from a source that stalls. Before
  /// the source continues, the sink must receive all bytes that the compression tool itself
  /// decompresses from the part before the stall. At most [#PIECE] bytes may be missing; for xz,
  /// one chunk of LZMA2 may also be missing.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cat",
        "gzip -1",
        "gzip -9",
        "zstd -3",
        "xz -0 --block-size=262144",
        "bzip2 -1",
        "lz4 -1"
      })
  void passesArrivedDataWhenTheSourceStalls(String compress) throws Exception {
    String tool = compress.split(" ", -1)[0];
    byte[] source = Command.of((Object[]) compress.split(" ", -1)).bytes(disk);
    int stall = source.length * 5 / 8 + 77;
    Path part = home.resolve("part");
    Files.write(part, Arrays.copyOf(source, stall));
    long there =
        Command.of(
                "sh",
                "-c",
                (tool.equals("cat") ? "cat " : tool + " -dc <") + part + " 2>/dev/null||:")
            .bytes()
            .length;
    // XZ for Java decodes only whole chunks of LZMA2, but `xz` also decodes a part of a chunk. A
    // chunk has at most 64 KiB. In this test, a chunk expands to about twice its length.
    long heldBack = tool.equals("xz") ? PIECE + 2 * (64 << 10) : PIECE;
    System.out.println(compress + ": " + there + " bytes in the first " + stall);
    assertTrue(there > 3 * MIB, there + " bytes");
    Path arrived = home.resolve("arrived.raw");
    OptionalLong length =
        tool.equals("cat") ? OptionalLong.of(source.length) : OptionalLong.empty();
    try (RawFile file = new RawFile(arrived, disk.length)) {
      Watched sink = new Watched(length.isPresent() ? file : new UnsizedDisk(file, disk.length));
      ImportedImage image =
          stream(new Stalling(source, stall, sink, there - heldBack), length, sink);
      assertEquals(disk.length, image.virtualSize());
      assertTrue(file.allTold());
      String expect = "expect " + disk.length;
      assertEquals(expect, length.isPresent() ? sink.calls.getFirst() : sink.calls.getLast());
    }
    requireDisk(arrived);
  }

  /// A sink for a source of unknown length. The import must report the size to this sink after all
  /// data. [RawFile] needs the size first, so the constructor passes the size to [RawFile].
  private record UnsizedDisk(RawFile file, long size) implements DiskSink {
    UnsizedDisk {
      try {
        file.expect(size);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void expect(long virtualSize) {
      assertEquals(size, virtualSize);
      assertTrue(file.allTold(), "the size of what has no length comes last");
    }

    @Override
    public void write(long guestOffset, byte[] source, int offset, int length) throws IOException {
      file.write(guestOffset, source, offset, length);
    }

    @Override
    public Staging staging(OptionalLong hostLength) {
      return file.staging(hostLength);
    }
  }

  /// Imports a qcow2 image with compressed clusters. gzip compresses the whole image again. While
  /// the source stalls, the last batch of clusters that arrived before the stall must reach the
  /// sink.
  @Test
  void compressedClustersComeThroughTwoStagesWhenTheSourceStalls() throws Exception {
    byte[] image = Files.readAllBytes(convert("qcow2", "-c"));
    byte[] source = Command.of("gzip", "-c1").bytes(image);
    Path arrived = home.resolve("arrived.raw");
    try (RawFile file = new RawFile(arrived, disk.length)) {
      Watched sink = new Watched(file);
      // The sink gets five eighths of the disk, except three clusters that the decoders may still
      // hold.
      long awaited = disk.length * 5L / 8 - 3 * 65_536;
      stream(
          new Stalling(source, source.length * 5 / 8, sink, awaited), OptionalLong.empty(), sink);
      assertTrue(file.allTold());
      assertEquals("expect " + disk.length, sink.calls.getFirst());
      assertTrue(sink.calls.contains("zeros"), sink.calls.toString());
    }
    requireDisk(arrived);
  }

  @Test
  void rawDiskInATarHasALengthAtOnce() throws Exception {
    byte[] tar = Command.of("tar", "-c", "raw").bytesIn(home);
    byte[] source = Command.of("zstd", "-c").bytes(tar);
    Path arrived = home.resolve("arrived.raw");
    try (RawFile file = new RawFile(arrived, disk.length)) {
      Watched sink = new Watched(file);
      ImportedImage image =
          stream(
              new Stalling(source, 300_000, sink, 200_000), OptionalLong.of(source.length), sink);
      assertEquals(List.of("zstd", "tar"), image.wrapping());
      assertEquals("expect " + disk.length, sink.calls.getFirst());
    }
    requireDisk(arrived);
  }

  @Test
  void lateTablesAreStagedInTheSink() throws Exception {
    // The data is longer than the window, so that some bytes leave the window.
    byte[] large = new byte[40 * MIB];
    new Random(43).nextBytes(large);
    Files.write(raw, large);
    Path image = convert("qcow2");
    QEMU_IMG.with("resize", "-f", "qcow2", image, "600G").bytes();
    Path arrived = home.resolve("arrived.raw");
    try (RawFile file = new RawFile(arrived, Long.MAX_VALUE);
        InputStream source = Files.newInputStream(image)) {
      Watched sink = new Watched(file);
      stream(source, OptionalLong.of(Files.size(image)), sink);
      assertTrue(file.allTold());
      assertTrue(sink.calls.contains("staging " + Files.size(image)), sink.calls.toString());
    }
    QEMU_IMG.with("compare", "-f", "qcow2", "-F", "raw", image, arrived).bytes();
  }

  @ParameterizedTest
  @EnumSource(
      value = ImageFormat.class,
      names = {"VMDK", "VDI", "VHD", "VHDX"})
  void formatsThatCannotBeReadWhileTheyArriveAreRefusedWithAdvice(ImageFormat format)
      throws Exception {
    String name = format == ImageFormat.VHD ? "vpc" : format.name().toLowerCase(Locale.ROOT);
    byte[] image = Files.readAllBytes(convert(name));
    try (RawFile file = new RawFile(home.resolve("arrived.raw"), Long.MAX_VALUE)) {
      UnsupportedFeatureException e =
          assertThrows(
              UnsupportedFeatureException.class,
              () -> stream(new ByteArrayInputStream(image), OptionalLong.empty(), file));
      assertTrue(e.toString().contains("to raw or qcow2 first"), e.toString());
      assertFalse(Files.size(home.resolve("arrived.raw")) > 0);
    }
  }

  @Test
  void propagatesExceptionsOfTheSink() throws Exception {
    IOException full = new IOException("no room in the cache");
    DiskSink sink =
        new DiskSink() {
          @Override
          public void expect(long virtualSize) {
            // Any size is accepted.
          }

          @Override
          public void write(long guestOffset, byte[] source, int offset, int length)
              throws IOException {
            throw full;
          }

          @Override
          public Staging staging(OptionalLong hostLength) {
            throw new AssertionError("asked to stage");
          }
        };
    byte[] image = Files.readAllBytes(convert("qcow2"));
    assertSame(
        full,
        assertThrows(
            IOException.class,
            () -> stream(new ByteArrayInputStream(image), OptionalLong.empty(), sink)));
  }

  @Test
  void refusesATruncatedSourceAfterItsData() throws Exception {
    byte[] cut = Arrays.copyOf(disk, 3 * MIB);
    try (RawFile file = new RawFile(home.resolve("arrived.raw"), disk.length)) {
      Watched sink = new Watched(file);
      assertThrows(
          MalformedImageException.class,
          () -> stream(new ByteArrayInputStream(cut), OptionalLong.of(disk.length), sink));
      assertEquals(cut.length, sink.told);
    }
  }
}
