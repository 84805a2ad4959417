package dev.pvcpopulators.diskimage.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Sniffed;
import dev.pvcpopulators.diskimage.SniffedStream;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Rounds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Tests the contract of every decompressor with streams of the real tools.
@Tag("tools")
class DecompressorContractTest {
  private static final int[] SIZES = {
    1, 2, 17, 4095, 4096, 65_535, 65_536, 65_537, 262_144, 262_145, 1_000_003
  };

  /// All decompressors, with the commands that create their input streams.
  enum Codec {
    GZIP_ISAL(Compression.GZIP, "gzip -c", "gzip -c9", "pigz -c -p 2 -b 128") {
      @Override
      InputStream open(InputStream source) {
        IsalLibrary library =
            IsalLibrary.installed().orElseThrow(() -> new AssertionError("install libisal2"));
        return Decompressor.gzip(source, () -> new IsalInflater(library));
      }
    },
    GZIP_JDK(Compression.GZIP, "gzip -c", "gzip -c1") {
      @Override
      InputStream open(InputStream source) {
        return Decompressor.gzip(source, JdkInflater::new);
      }
    },
    // When zstd reads from a pipe, it writes no content size.
    ZSTD(Compression.ZSTD, "zstd -c -q", "zstd -c -q -19", "zstd -c -q -3 --long=27"),
    XZ(Compression.XZ, "xz -c -1", "xz -c -6", "xz -c -0 --check=sha256 --block-size=100KiB"),
    BZIP2(Compression.BZIP2, "bzip2 -c", "bzip2 -c1"),
    LZ4(
        Compression.LZ4,
        "lz4 -c -q",
        "lz4 -c -q -9",
        "lz4 -c -q -1 -B5 --content-size",
        "lz4 -c -q -B7 --no-frame-crc -BX");

    final Compression compression;
    private final String commands;

    Codec(Compression compression, String... commands) {
      this.compression = compression;
      this.commands = String.join("|", commands);
    }

    List<Command> tools() {
      return Arrays.stream(commands.split("\\|", -1))
          .map(command -> Command.of((Object[]) command.split(" ", -1)))
          .toList();
    }

    InputStream open(InputStream source) {
      return Decompressor.open(compression, source);
    }

    byte[] compress(byte[] data) {
      return tools().getFirst().bytes(data);
    }
  }

  @ParameterizedTest
  @EnumSource
  void readsFilesOfOtherTools(Codec codec) throws IOException {
    Random random = seeded();
    for (Command tool : codec.tools()) {
      for (int size : SIZES) {
        byte[] data = data(random, size);
        byte[] stream = tool.bytes(data);
        assertArrayEquals(data, readAll(codec, stream), tool + " of " + size + " bytes");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void readsAnEmptyMember(Codec codec) throws IOException {
    byte[] empty = codec.compress(new byte[0]);
    assertEquals(0, readAll(codec, empty).length);
    byte[] data = data(seeded(), 1000);
    byte[] full = codec.compress(data);
    assertArrayEquals(data, readAll(codec, concat(empty, full, empty)));
  }

  @ParameterizedTest
  @EnumSource
  void readsMembersOneAfterAnother(Codec codec) throws IOException {
    Random random = seeded();
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    ByteArrayOutputStream streams = new ByteArrayOutputStream();
    for (int size : SIZES) {
      byte[] part = data(random, size);
      data.writeBytes(part);
      streams.writeBytes(codec.tools().get(random.nextInt(codec.tools().size())).bytes(part));
    }
    byte[] expected = data.toByteArray();
    assertArrayEquals(expected, readAll(codec, streams.toByteArray()));
    for (int longest : new int[] {1, 7, 70_000}) {
      InputStream source = new ChunkedStream(streams.toByteArray(), random, longest);
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      try (InputStream in = codec.open(source)) {
        byte[] buffer = new byte[100_000];
        int count = 0;
        while (count >= 0) {
          read.write(buffer, 0, count);
          count = in.read(buffer, 0, 1 + random.nextInt(buffer.length));
        }
        assertEquals(-1, in.read(buffer, 0, 10), "the end stays the end");
      }
      assertArrayEquals(expected, read.toByteArray());
    }
  }

  @ParameterizedTest
  @EnumSource
  void isSniffed(Codec codec) throws IOException {
    for (Command tool : codec.tools()) {
      for (int size : new int[] {0, 1, 100_000}) {
        byte[] stream = tool.bytes(data(seeded(), size));
        InputStream slow = new ChunkedStream(stream, seeded(), 3);
        try (SniffedStream sniffed = SniffedStream.open(slow)) {
          assertEquals(new Sniffed.Compressed(codec.compression), sniffed.sniffed());
          assertArrayEquals(stream, sniffed.readAllBytes());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesACutAtEveryLength(Codec codec) throws IOException {
    Random random = seeded();
    byte[] first = codec.compress(data(random, 3000));
    byte[] second = codec.compress(data(random, 200));
    byte[] both = concat(first, second);
    for (int length = 0; length < both.length; length++) {
      if (length != first.length) {
        byte[] cut = Arrays.copyOf(both, length);
        MalformedImageException e =
            assertThrows(
                MalformedImageException.class,
                () -> readAll(codec, cut),
                "cut at " + length + " of " + both.length);
        assertTrue(e.offset() >= 0 && e.offset() <= length, e.getMessage());
      }
    }
  }

  /// LZ4 stores incompressible data in uncompressed blocks. The decoder reads these blocks with
  /// separate code. The test cuts the stream at each position of the second block, and at the last
  /// positions of the first block.
  @Test
  void refusesStoredBlocksOfLz4ThatAreCut() throws IOException {
    int block = 64 << 10;
    byte[] data = new byte[block + 300];
    seeded().nextBytes(data);
    byte[] stream = Command.of("lz4", "-c", "-q", "-B4").bytes(data);
    assertArrayEquals(data, readAll(Codec.LZ4, stream));
    for (int length = block; length < stream.length; length++) {
      byte[] cut = Arrays.copyOf(stream, length);
      assertThrows(
          MalformedImageException.class, () -> readAll(Codec.LZ4, cut), "cut at " + cut.length);
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesALongStreamCutAnywhere(Codec codec) throws IOException {
    Random random = seeded();
    byte[] stream = codec.compress(data(random, 1_500_000));
    for (int i = 0; i < 12; i++) {
      byte[] cut = Arrays.copyOf(stream, 1 + random.nextInt(stream.length - 1));
      assertThrows(MalformedImageException.class, () -> readAll(codec, cut), "at " + cut.length);
    }
  }

  @ParameterizedTest
  @EnumSource
  void neverGivesOtherDataForAFlippedBit(Codec codec) throws IOException {
    Random random = seeded();
    byte[] data = data(random, 20_000);
    byte[] stream = codec.compress(data);
    for (int i = 0; i < 400; i++) {
      byte[] damaged = stream.clone();
      // Each round flips one bit: first each bit of the first 20 bytes in turn, then random bits.
      int bit = i < 160 ? i : random.nextInt(stream.length * 8);
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        assertArrayEquals(data, readAll(codec, damaged), "bit " + bit);
      } catch (MalformedImageException | UnsupportedFeatureException expected) {
        assertTrue(expected.getMessage() != null);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void repeatsTheSourcesFailureUnchanged(Codec codec) throws IOException {
    byte[] stream = codec.compress(data(seeded(), 500_000));
    IOException lost = new IOException("connection reset");
    for (int length : new int[] {0, 1, stream.length / 2, stream.length}) {
      InputStream source =
          new SequenceInputStream(
              new ByteArrayInputStream(stream, 0, length), new FailingStream(lost));
      try (InputStream in = codec.open(source)) {
        assertSame(lost, assertThrows(IOException.class, in::readAllBytes));
        assertSame(lost, assertThrows(IOException.class, in::read));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void closesItsSource(Codec codec) throws IOException {
    byte[] stream = codec.compress(data(seeded(), 100));
    for (int reads = 0; reads < 2; reads++) {
      List<String> closed = new ArrayList<>();
      InputStream source =
          new ByteArrayInputStream(stream) {
            @Override
            public void close() {
              closed.add("closed");
            }
          };
      try (InputStream in = codec.open(source)) {
        assertTrue(reads == 0 || in.read() >= 0);
      }
      assertTrue(!closed.isEmpty());
    }
  }

  @ParameterizedTest
  @EnumSource
  void refusesOtherDataBehindTheEnd(Codec codec) throws IOException {
    byte[] stream =
        concat(
            codec.compress(data(seeded(), 1000)),
            "garbage behind it".getBytes(StandardCharsets.UTF_8));
    assertThrows(MalformedImageException.class, () -> readAll(codec, stream));
  }

  /// Reads a concatenation of compressed streams. Each stream contains 64 MiB of zeros, as in an
  /// empty volume. The total length of the zeros is 128 MiB. In the nightly run, the total is 1 GiB
  /// for every codec except xz and bzip2.
  @ParameterizedTest
  @EnumSource
  void readsZerosInConstantMemory(Codec codec) throws IOException {
    boolean slow = codec == Codec.XZ || codec == Codec.BZIP2;
    int members = slow ? 2 : Rounds.of(2, 16);
    byte[] member = codec.tools().getLast().bytes(new byte[64 << 20]);
    List<InputStream> sources =
        Collections.nCopies(members, member).stream()
            .<InputStream>map(ByteArrayInputStream::new)
            .toList();
    byte[] buffer = new byte[1 << 20];
    byte[] zeros = new byte[1 << 20];
    long length = 0;
    try (InputStream in = codec.open(new SequenceInputStream(Collections.enumeration(sources)))) {
      int count = 0;
      while (count >= 0) {
        if (!Arrays.equals(buffer, 0, count, zeros, 0, count)) {
          fail("not zero near " + length);
        }
        length += count;
        count = in.read(buffer);
      }
    }
    assertEquals(members * (64L << 20), length);
  }

  private static byte[] readAll(Codec codec, byte[] stream) throws IOException {
    try (InputStream in = codec.open(new ByteArrayInputStream(stream))) {
      return in.readAllBytes();
    }
  }

  private static Random seeded() {
    long seed = Long.getLong("test.seed", System.nanoTime());
    System.out.println("seed " + seed);
    return new Random(seed);
  }

  /// Returns pieces of text, zeros and noise in random order, as on a disk.
  private static byte[] data(Random random, int size) {
    byte[] data = new byte[size];
    int position = 0;
    while (position < size) {
      int end = Math.min(size, position + 1 + random.nextInt(20_000));
      int kind = random.nextInt(3);
      for (int i = position; i < end; i++) {
        data[i] =
            switch (kind) {
              case 0 -> 0;
              case 1 -> (byte) random.nextInt();
              default -> (byte) ("the quick brown fox ".charAt(i % 20) + random.nextInt(20) / 19);
            };
      }
      position = end;
    }
    return data;
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static final class FailingStream extends InputStream {
    private final IOException failure;

    FailingStream(IOException failure) {
      this.failure = failure;
    }

    @Override
    public int read() throws IOException {
      throw failure;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      throw failure;
    }
  }
}
