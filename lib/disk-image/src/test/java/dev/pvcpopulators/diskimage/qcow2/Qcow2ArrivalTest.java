package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import dev.pvcpopulators.it.Rounds;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks the sink at each pause of the source. At that time, the sink must have received all guest
/// data that can be decoded from the bytes read so far.
@Tag("tools")
class Qcow2ArrivalTest {
  private static final long SEED = Long.getLong("qcow2.seed", 20_251_122);
  private static final long GIB = 1L << 30;
  private static final int MIB = 1 << 20;

  /// Limits with the smallest possible window, so that the reader stages data that precedes its
  /// table.
  private static final Qcow2Limits NO_WINDOW = new Qcow2Limits(0, 1 << 18, 16 << 20, 2);

  @TempDir private Path directory = Path.of("");
  private final Random random = new Random(SEED);

  /// A source whose `available` method always returns 0. Before each read, checks that the sink has
  /// received all guest data that can be decoded from the bytes read so far.
  private static final class PausingSource extends InputStream {
    private final InputStream file;
    private final RawFile sink;
    private final List<Knowable> ranges;
    private final Random random;
    private final int longest;
    private int next;
    private long position;
    private long firstSector = -1;

    PausingSource(Path image, RawFile sink, Random random, int longest) throws IOException {
      this.file = Files.newInputStream(image);
      this.sink = sink;
      this.ranges = Knowable.of(image);
      this.random = random;
      this.longest = longest;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      requireTold();
      int count = file.read(target, offset, Math.min(length, 1 + random.nextInt(longest)));
      position += Math.max(count, 0);
      return count;
    }

    private void requireTold() {
      for (; next < ranges.size() && ranges.get(next).hostEnd() <= position; next++) {
        Knowable range = ranges.get(next);
        assertTrue(
            sink.toldFrom(range.guestOffset()) >= range.length(),
            () -> range + " was not told, the source stands at " + position);
      }
      if (firstSector < 0 && sink.toldFrom(0) >= 512) {
        firstSector = position;
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /// Creates a large disk with scattered runs of random bytes, runs of text, and holes. The first
  /// byte of the disk is not zero.
  private Path raw(long size, int content) throws IOException {
    Path raw = directory.resolve("source.raw");
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.setLength(size);
      file.write(7);
      for (int done = 0; done < content; ) {
        byte[] run = new byte[512 * (1 + random.nextInt(1000))];
        random.nextBytes(run);
        if (random.nextBoolean()) {
          for (int i = 0; i < run.length; i++) {
            run[i] = (byte) ('a' + (run[i] & 3));
          }
        }
        file.seek(random.nextLong((size - run.length) / 512) * 512);
        file.write(run);
        done += run.length;
      }
    }
    return raw;
  }

  private Path convert(Path raw, String options, String... more)
      throws IOException, InterruptedException {
    Path image = directory.resolve("image.qcow2");
    List<Object> arguments = new ArrayList<>(List.of("convert", "-O", "qcow2"));
    arguments.addAll(List.of("-f", "raw", "-o", options));
    arguments.addAll(List.of(more));
    arguments.addAll(List.of(raw, image));
    Qemu.img(arguments.toArray()).ok();
    return image;
  }

  /// Decodes an image.
  ///
  /// @return the number of bytes of the image that were read before the sink received the first
  ///   sector
  private long decode(Path image, Qcow2Limits limits, int longest)
      throws IOException, InterruptedException {
    Path disk = directory.resolve("disk.raw");
    try (RawFile sink = new RawFile(disk, Long.MAX_VALUE);
        PausingSource source = new PausingSource(image, sink, random, longest)) {
      new Qcow2Reader(limits).decode(source, OptionalLong.empty(), sink);
      assertTrue(sink.allTold());
      Qemu.requireEqual(image, "qcow2", disk);
      return source.firstSector;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "compat=v3",
        "compat=0.10",
        "cluster_size=4k",
        "cluster_size=2M",
        "compat=v3 -c",
        "compression_type=zstd -c"
      })
  void reportsKnownMistakesBeforeWaiting(String how) throws Exception {
    String[] words = how.split(" ", -1);
    Path image =
        words.length == 1
            ? convert(raw(GIB, 12 * MIB), words[0])
            : convert(raw(GIB, 12 * MIB), words[0], words[1]);
    decode(image, Qcow2Limits.defaults(), 300_000);
    decode(image, NO_WINDOW, 30_000);
  }

  @ParameterizedTest
  @Tag("nightly")
  @ValueSource(strings = {"preallocation=metadata", "cluster_size=4k -c", "cluster_size=2M -c"})
  void reportsKnownMistakesOfOtherShapesBeforeWaiting(String how) throws Exception {
    reportsKnownMistakesBeforeWaiting(how);
  }

  @Test
  void reportsMappingsOfLateTables() throws Exception {
    Path image = convert(raw(GIB, 24 * MIB), "compat=v3");
    Qemu.img("snapshot", "-c", "s", image).ok();
    Qemu.io(image, List.of("write -P 9 0 3M", "write -z 4M 1M", "discard 8M 1M"));
    decode(image, Qcow2Limits.defaults(), 300_000);
    decode(image, NO_WINDOW, 300_000);
    Qemu.img("resize", image, "600G").ok();
    decode(image, Qcow2Limits.defaults(), 300_000);
    decode(image, NO_WINDOW, 300_000);
  }

  static Stream<String> conversions() {
    return Rounds.oneOf(2, List.of("compat=v3", "compat=v3 -c"));
  }

  @ParameterizedTest
  @MethodSource("conversions")
  void firstSectorOfALargeDiskComesAtOnce(String how) throws Exception {
    String[] words = how.split(" ", -1);
    Path raw = raw(10 * GIB, 48 * MIB);
    Path image = words.length == 1 ? convert(raw, words[0]) : convert(raw, words[0], words[1]);
    long first = decode(image, Qcow2Limits.defaults(), 16_384);
    System.out.println(how + ": the first sector is told after " + first + " bytes");
    assertTrue(first > 0 && first < MIB, "after " + first + " bytes");
    try (InputStream disk = Files.newInputStream(directory.resolve("disk.raw"))) {
      assertEquals(7, disk.read());
    }
  }
}
