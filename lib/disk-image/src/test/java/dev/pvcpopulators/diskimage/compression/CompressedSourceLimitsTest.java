package dev.pvcpopulators.diskimage.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.Command;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests limits and rules that apply to only one compression.
@Tag("tools")
class CompressedSourceLimitsTest {
  private static final byte[] DATA = new byte[300_000];

  @TempDir Path directory;

  @Test
  void acceptsOnlyZerosAfterGzip() throws IOException {
    byte[] stream = Command.of("gzip", "-c").bytes(DATA);
    byte[] padded = Arrays.copyOf(stream, stream.length + 200_000);
    assertArrayEquals(DATA, read(Compression.GZIP, padded));
    padded[padded.length - 1] = 1;
    MalformedImageException e =
        assertThrows(MalformedImageException.class, () -> read(Compression.GZIP, padded));
    assertTrue(e.offset() == padded.length - 1, e.getMessage());
  }

  @Test
  void readsEveryOptionalFieldOfAGzipHeader() throws IOException {
    // The header has the flags FHCRC, FEXTRA (6 bytes), FNAME and FCOMMENT (RFC 1952).
    byte[] header =
        HexFormat.of()
            .parseHex("1f8b081e0000000000030600616202000fff" + "6e616d6500" + "6e6f746500");
    byte[] stream = Command.of("gzip", "-nc").bytes(DATA);
    byte[] whole = Arrays.copyOf(header, header.length + 2 + stream.length - 10);
    System.arraycopy(stream, 10, whole, header.length + 2, stream.length - 10);
    byte[] fixed = withHeaderCrc(whole, header.length);
    assertArrayEquals(DATA, read(Compression.GZIP, fixed));
    fixed[header.length] ^= 1;
    assertThrows(MalformedImageException.class, () -> read(Compression.GZIP, fixed));
  }

  @Test
  void limitsTheDictionaryOfXz() throws IOException {
    byte[] largest = Command.of("xz", "-c", "--lzma2=preset=0,dict=64MiB").bytes(DATA);
    assertArrayEquals(DATA, read(Compression.XZ, largest));
    byte[] larger = Command.of("xz", "-c", "--lzma2=preset=0,dict=96MiB").bytes(DATA);
    assertThrows(UnsupportedFeatureException.class, () -> read(Compression.XZ, larger));
  }

  @Test
  void limitsTheWindowOfZstd() throws IOException {
    byte[] largest = Command.of("zstd", "-cq", "-1", "--long=27").bytes(DATA);
    assertArrayEquals(DATA, read(Compression.ZSTD, largest));
    // When zstd reads from a pipe, it does not reduce the window to the length of the data.
    byte[] larger = Command.of("zstd", "-cq", "-1", "--long=28").bytes(DATA);
    assertThrows(UnsupportedFeatureException.class, () -> read(Compression.ZSTD, larger));
  }

  @Test
  void limitsMoreStrictlyWhereLessMemoryIsGiven() throws IOException {
    byte[] dictionary = Command.of("xz", "-c", "--lzma2=preset=0,dict=8MiB").bytes(DATA);
    assertArrayEquals(DATA, readSmall(Compression.XZ, dictionary));
    byte[] larger = Command.of("xz", "-c", "--lzma2=preset=0,dict=16MiB").bytes(DATA);
    assertThrows(UnsupportedFeatureException.class, () -> readSmall(Compression.XZ, larger));

    byte[] window = Command.of("zstd", "-cq", "-1", "--long=25").bytes(DATA);
    assertArrayEquals(DATA, readSmall(Compression.ZSTD, window));
    byte[] wider = Command.of("zstd", "-cq", "-1", "--long=26").bytes(DATA);
    assertThrows(UnsupportedFeatureException.class, () -> readSmall(Compression.ZSTD, wider));
    // The limit applies to the window of each frame. The test moves the header of the frame with
    // the wider window across the end of the decoder's input buffer.
    for (int padding = 65_480; padding < 65_540; padding++) {
      byte[] skippable = new byte[padding];
      ByteBuffer.wrap(skippable)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(0x184d2a50)
          .putInt(padding - 8);
      assertThrows(
          UnsupportedFeatureException.class,
          () -> readSmall(Compression.ZSTD, concat(concat(window, skippable), wider)));
    }
  }

  @Test
  void limitsTheWindowOfSingleSegments() throws IOException {
    // zstd writes a file of known, small length as a single segment. The window of a single segment
    // is as long as the file.
    byte[] data = new byte[(32 << 20) + 1];
    Path file = Files.write(directory.resolve("data"), data);
    String[] command = {"zstd", "-cq", "--ultra", "-22", file.toString()};
    byte[] longer = Command.of((Object[]) command).bytes(new byte[0]);
    assertThrows(UnsupportedFeatureException.class, () -> readSmall(Compression.ZSTD, longer));
    Files.write(file, Arrays.copyOf(data, 32 << 20));
    byte[] just = Command.of((Object[]) command).bytes(new byte[0]);
    assertTrue(readSmall(Compression.ZSTD, just).length == 32 << 20);
    for (int length : new int[] {0, 1, 255, 256, 257, 65_791, 65_792}) {
      Files.write(file, Arrays.copyOf(data, length));
      byte[] small = Command.of((Object[]) command).bytes(new byte[0]);
      assertTrue(readSmall(Compression.ZSTD, small).length == length);
    }
  }

  private static byte[] readSmall(Compression compression, byte[] stream) throws IOException {
    try (InputStream plain =
        Decompressor.open(compression, new ByteArrayInputStream(stream), DecoderMemory.SMALL)) {
      return plain.readAllBytes();
    }
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Test
  void readsSkippableFramesOfParallelZstdTools() throws IOException {
    byte[] frame = Command.of("zstd", "-cq").bytes(DATA);
    byte[] skippable = HexFormat.of().parseHex("502a4d180400000012345678");
    Path both = directory.resolve("both.zst");
    Files.write(both, skippable);
    Files.write(both, frame, StandardOpenOption.APPEND);
    assertArrayEquals(DATA, read(Compression.ZSTD, Files.readAllBytes(both)));
  }

  private static byte[] withHeaderCrc(byte[] whole, int headerLength) {
    byte[] member = Command.of("gzip", "-nc").bytes(Arrays.copyOf(whole, headerLength));
    byte[] result = whole.clone();
    // The header CRC consists of the two least significant bytes of the CRC32 of the header (RFC
    // 1952). To compute this CRC32, gzip compresses the header: the trailer of a member begins with
    // the CRC32 of its data, least significant byte first.
    System.arraycopy(member, member.length - 8, result, headerLength, 2);
    return result;
  }

  private static byte[] read(Compression compression, byte[] stream) throws IOException {
    try (InputStream in = Decompressor.open(compression, new ByteArrayInputStream(stream))) {
      return in.readAllBytes();
    }
  }
}
