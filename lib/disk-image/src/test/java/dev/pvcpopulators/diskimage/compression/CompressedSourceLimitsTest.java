package dev.pvcpopulators.diskimage.compression;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.CommandLineTool;
import dev.pvcpopulators.diskimage.Compression;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bounds and rules that belong to one compression only.
class CompressedSourceLimitsTest {
  private static final byte[] DATA = new byte[300_000];

  @TempDir Path directory;

  @Test
  void takesZerosBehindGzipAndNothingElse() throws IOException {
    byte[] stream = CommandLineTool.of("gzip", "-c").run(DATA);
    byte[] padded = Arrays.copyOf(stream, stream.length + 200_000);
    assertArrayEquals(DATA, read(Compression.GZIP, padded));
    padded[padded.length - 1] = 1;
    MalformedImageException e =
        assertThrows(MalformedImageException.class, () -> read(Compression.GZIP, padded));
    assertTrue(e.offset() == padded.length - 1, e.getMessage());
  }

  @Test
  void readsEveryOptionalFieldOfAGzipHeader() throws IOException {
    // FHCRC, FEXTRA (6 bytes), FNAME and FCOMMENT, by hand from RFC 1952.
    byte[] header =
        HexFormat.of()
            .parseHex("1f8b081e0000000000030600616202000fff" + "6e616d6500" + "6e6f746500");
    byte[] stream = CommandLineTool.of("gzip", "-nc").run(DATA);
    byte[] whole = Arrays.copyOf(header, header.length + 2 + stream.length - 10);
    System.arraycopy(stream, 10, whole, header.length + 2, stream.length - 10);
    byte[] fixed = withHeaderCrc(whole, header.length);
    assertArrayEquals(DATA, read(Compression.GZIP, fixed));
    fixed[header.length] ^= 1;
    assertThrows(MalformedImageException.class, () -> read(Compression.GZIP, fixed));
  }

  @Test
  void limitsTheDictionaryOfXz() throws IOException {
    byte[] largest = CommandLineTool.of("xz", "-c", "--lzma2=preset=0,dict=64MiB").run(DATA);
    assertArrayEquals(DATA, read(Compression.XZ, largest));
    byte[] larger = CommandLineTool.of("xz", "-c", "--lzma2=preset=0,dict=96MiB").run(DATA);
    assertThrows(UnsupportedFeatureException.class, () -> read(Compression.XZ, larger));
  }

  @Test
  void limitsTheWindowOfZstd() throws IOException {
    byte[] largest = CommandLineTool.of("zstd", "-cq", "-1", "--long=27").run(DATA);
    assertArrayEquals(DATA, read(Compression.ZSTD, largest));
    // Through a pipe the window is not cut to the length of the data.
    byte[] larger = CommandLineTool.of("zstd", "-cq", "-1", "--long=28").run(DATA);
    assertThrows(UnsupportedFeatureException.class, () -> read(Compression.ZSTD, larger));
  }

  @Test
  void readsWhatParallelZstdToolsPutFirst() throws IOException {
    byte[] frame = CommandLineTool.of("zstd", "-cq").run(DATA);
    byte[] skippable = HexFormat.of().parseHex("502a4d180400000012345678");
    Path both = directory.resolve("both.zst");
    Files.write(both, skippable);
    Files.write(both, frame, StandardOpenOption.APPEND);
    assertArrayEquals(DATA, read(Compression.ZSTD, Files.readAllBytes(both)));
  }

  private static byte[] withHeaderCrc(byte[] whole, int headerLength) {
    byte[] member = CommandLineTool.of("gzip", "-nc").run(Arrays.copyOf(whole, headerLength));
    byte[] result = whole.clone();
    // The trailer of a member begins with the CRC32 of its data, least significant byte first.
    System.arraycopy(member, member.length - 8, result, headerLength, 2);
    return result;
  }

  private static byte[] read(Compression compression, byte[] stream) throws IOException {
    try (InputStream in = Decompressor.open(compression, new ByteArrayInputStream(stream))) {
      return in.readAllBytes();
    }
  }
}
