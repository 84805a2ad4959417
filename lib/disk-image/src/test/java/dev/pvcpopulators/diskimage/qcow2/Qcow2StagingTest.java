package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests which data the reader stages if an image is larger than the window.
@Tag("tools")
class Qcow2StagingTest {
  private static final int MIB = 1 << 20;
  private static final int CONTENT = 40 * MIB;

  /// The length of the disk in bytes. With clusters of 64 KiB, the disk needs four L2 tables, each
  /// of which maps 512 MiB.
  private static final long DISK = 2048L * MIB;

  private static final Qcow2Limits SMALL_WINDOW = new Qcow2Limits(MIB, 1 << 18, 16 << 20, 2);

  @TempDir private Path directory = Path.of("");
  private Path raw = Path.of("");
  private Path image = Path.of("");

  @BeforeEach
  void content() throws IOException {
    raw = directory.resolve("source.raw");
    image = directory.resolve("image.qcow2");
    Random random = new Random(8);
    try (RandomAccessFile file = new RandomAccessFile(raw.toFile(), "rw")) {
      file.setLength(DISK);
      byte[] block = new byte[MIB];
      for (long at = 0; at < DISK; at += DISK / (CONTENT / MIB)) {
        random.nextBytes(block);
        // Sets every second byte to `x`, so that the block is compressible.
        for (int i = 0; i < block.length; i += 2) {
          block[i] = 'x';
        }
        file.seek(at);
        file.write(block);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "compat=0.10",
        "compat=v3",
        "cluster_size=4k",
        "cluster_size=2M",
        "extended_l2=on",
        "refcount_bits=64"
      })
  void stagesNothingOfAConvertedImage(String options) throws Exception {
    convert(options);
    assertEquals(0, stagedBytes(SMALL_WINDOW));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"compat=0.10", "compression_type=zlib", "compression_type=zstd", "extended_l2=on"})
  void stagesNothingOfACompressedImage(String options) throws Exception {
    convert(options, "-c");
    assertEquals(0, stagedBytes(SMALL_WINDOW));
  }

  @Test
  void stagesDataBeforeAMovedL1Table() throws Exception {
    convert("compat=v3");
    Qemu.img("resize", image, "8T").ok();
    long staged = stagedBytes(Qcow2Limits.defaults());
    long behindWindow = Files.size(image) - (18 << 20);
    assertTrue(staged > behindWindow - 2 * MIB && staged < Files.size(image), "staged " + staged);
  }

  @Test
  void stagesNothingAheadOfTablesItHasRoomFor() throws Exception {
    scatteredWrites();
    assertEquals(0, stagedBytes(SMALL_WINDOW));
  }

  @Test
  void stagesForTablesItHasNoRoomFor() throws Exception {
    scatteredWrites();
    long staged = stagedBytes(new Qcow2Limits(MIB, 100, 16 << 20, 2));
    assertTrue(staged > 10 * MIB, "staged " + staged);
  }

  /// Makes QEMU allocate all L2 tables first, and then writes clusters at random offsets. Few of
  /// these clusters are contiguous with each other, so almost every cluster is a separate run.
  private void scatteredWrites() throws IOException, InterruptedException {
    Qemu.img("create", "-f", "qcow2", image, DISK).ok();
    Random random = new Random(9);
    List<String> commands = new ArrayList<>();
    for (long table = 0; table < 4; table++) {
      commands.add("write -P 1 " + table * 512 * MIB + " 4k");
    }
    for (int i = 0; i < 700; i++) {
      long cluster = random.nextInt((int) (DISK >> 16));
      commands.add("write -P " + (1 + i % 250) + " " + (cluster << 16) + " 64k");
    }
    Qemu.io(image, commands);
  }

  private void convert(String options, String... more) throws IOException, InterruptedException {
    List<Object> arguments =
        new ArrayList<>(List.of("convert", "-f", "raw", "-O", "qcow2", "-o", options));
    arguments.addAll(List.of(more));
    arguments.addAll(List.of(raw, image));
    Qemu.img(arguments.toArray()).ok();
  }

  private long stagedBytes(Qcow2Limits limits) throws IOException, InterruptedException {
    Path disk = directory.resolve("disk.raw");
    try (InputStream source = new BufferedInputStream(Files.newInputStream(image));
        RawFile sink = new RawFile(disk, Long.MAX_VALUE)) {
      new Qcow2Reader(limits).decode(source, OptionalLong.empty(), sink);
      Qemu.requireEqual(image, "qcow2", disk);
      return sink.stagedBytes();
    }
  }
}
