package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.pvcpopulators.iscsitarget.overlay.CopyMode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import dev.pvcpopulators.it.Rounds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the content of an overlay after its process is killed or its host stops.
class OverlayDurabilityTest {
  private static final int BLOCK = 4096;
  private static final int HEADER = 512;
  private static final int BOOT_AT = 24;
  private static final int CHECKSUM_AT = 40;
  private static final Pattern BEGUN = Pattern.compile("w ([0-9]+) ([0-9]+) ([0-9]+)");
  private static final String IDENTITY = "sha256:5678";

  @TempDir Path directory;
  private DiskFiles files;

  @BeforeEach
  void name() {
    files = DiskFiles.in(directory, "overlay");
  }

  private Medium base(byte[] disk) throws IOException {
    Path file = directory.resolve("base.img");
    Files.write(file, disk);
    return FileMedium.open(file, false);
  }

  private OverlayMedium overlay(Medium base) throws IOException {
    return OverlayMedium.open(base, IDENTITY, files, CopyMode.COPY_ON_WRITE);
  }

  private static byte[] read(Medium medium, long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    medium.read(offset, ByteBuffer.wrap(bytes));
    return bytes;
  }

  private static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /// Changes the boot ID in the map to simulate a reboot of the host.
  private void reboot() throws IOException {
    try (RandomAccessFile map = new RandomAccessFile(files.map().toFile(), "rw")) {
      byte[] header = new byte[HEADER];
      map.readFully(header);
      header[BOOT_AT] ^= 1;
      ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
      fields.putInt(CHECKSUM_AT, 0);
      CRC32C checksum = new CRC32C();
      checksum.update(header);
      fields.putInt(CHECKSUM_AT, (int) checksum.getValue());
      map.seek(0);
      map.write(header);
    }
  }

  @Test
  void afterAPowerFailureOnlyFlushedBlocksAreTrusted() throws IOException {
    byte[] disk = bytes(8 * BLOCK, 1);
    byte[] written = bytes(BLOCK, 2);
    try (Medium base = base(disk)) {
      try (OverlayMedium overlay = overlay(base)) {
        overlay.write(BLOCK, ByteBuffer.wrap(written));
        overlay.flush();
        overlay.write(2 * BLOCK, ByteBuffer.wrap(written));
      }
      reboot();
      try (OverlayMedium overlay = overlay(base)) {
        System.arraycopy(written, 0, disk, BLOCK, BLOCK);
        assertArrayEquals(disk, read(overlay, 0, disk.length));
        // The overlay completes a partly written block with bytes of the base, not with old bytes
        // of its file.
        overlay.write(2 * BLOCK, ByteBuffer.wrap(written, 0, 100));
        System.arraycopy(written, 0, disk, 2 * BLOCK, 100);
        assertArrayEquals(disk, read(overlay, 0, disk.length));
      }
      try (OverlayMedium overlay = overlay(base)) {
        assertArrayEquals(disk, read(overlay, 0, disk.length));
      }
    }
  }

  @Test
  void aFlushCoversWhatAnEarlierProcessWrote() throws IOException {
    byte[] disk = bytes(8 * BLOCK, 3);
    byte[] written = bytes(BLOCK, 4);
    try (Medium base = base(disk)) {
      try (OverlayMedium overlay = overlay(base)) {
        overlay.write(3 * BLOCK, ByteBuffer.wrap(written));
      }
      try (OverlayMedium overlay = overlay(base)) {
        overlay.flush();
      }
      reboot();
      try (OverlayMedium overlay = overlay(base)) {
        assertArrayEquals(written, read(overlay, 3 * BLOCK, BLOCK));
      }
    }
  }

  /// Returns true if the bit of a block is set in the second bitmap, the bitmap of durable blocks.
  private boolean durable(long block, long blocks) throws IOException {
    long bitmap = Math.ceilDiv(Math.ceilDiv(blocks, 8L), BLOCK) * (long) BLOCK;
    try (RandomAccessFile map = new RandomAccessFile(files.map().toFile(), "r")) {
      map.seek(BLOCK + bitmap + block / 8);
      return (map.read() & 1 << block % 8) != 0;
    }
  }

  /// Another thread writes to a block. As soon as the overlay reports the block as mapped, the test
  /// flushes the overlay. The flush must make the block durable.
  @Test
  void aFlushCoversBlocksThatAnotherThreadMarks() throws Exception {
    int blocks = Rounds.of(1_000, 2_000);
    byte[] written = bytes(BLOCK, 5);
    Path file = directory.resolve("large.img");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength((long) blocks * 100 * BLOCK);
    }
    try (Medium base = FileMedium.open(file, false);
        OverlayMedium overlay = overlay(base)) {
      List<Long> lost = new ArrayList<>();
      Semaphore next = new Semaphore(0);
      FutureTask<Long> marker =
          new FutureTask<>(() -> {
            long block = 0;
            for (; block < blocks; block++) {
              next.acquire();
              overlay.write(block * 100 * BLOCK, ByteBuffer.wrap(written, 0, 1));
            }
            return block;
          });
      Thread.ofPlatform().daemon().start(marker);
      for (long block = 0; block < blocks; block++) {
        long offset = block * 100 * BLOCK;
        next.release();
        // Spins, so that the flush starts while the other thread still marks the block.
        while (!overlay.extent(offset).mapped() && !marker.isDone()) {
          Thread.onSpinWait();
        }
        overlay.flush();
        if (!durable(block * 100, blocks * 100L)) {
          lost.add(offset);
        }
      }
      assertEquals(blocks, marker.get());
      assertEquals(List.of(), lost);
    }
  }

  /// The map has more pages than a flush copies in one step.
  @Test
  void aFlushCarriesOverTheWholeMap() throws IOException {
    long length = 9L << 30;
    Path file = directory.resolve("large.img");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(length);
    }
    try (Medium base = FileMedium.open(file, false)) {
      try (OverlayMedium overlay = overlay(base)) {
        overlay.deallocate(0, length);
        overlay.flush();
      }
      reboot();
      try (OverlayMedium overlay = overlay(base)) {
        assertEquals(length, overlay.ownBytes());
      }
    }
  }

  /// The program that the test kills. For each write, the program prints `w offset length value`
  /// before the write and `d` after the write. The writes are long, so that most kills interrupt a
  /// write.
  static final class Writer {
    private static final int LONGEST_WRITE = 256 * BLOCK;

    public static void main(String[] args) throws IOException {
      Path directory = Path.of(args[0]);
      Random random = new Random(Long.parseLong(args[1]));
      Medium base = FileMedium.open(directory.resolve("base.img"), false);
      OverlayMedium overlay =
          OverlayMedium.open(
              base, IDENTITY, DiskFiles.in(directory, "overlay"), CopyMode.COPY_ON_READ);
      ByteBuffer data = ByteBuffer.allocateDirect(LONGEST_WRITE);
      while (true) {
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? BLOCK : LONGEST_WRITE);
        long offset = random.nextLong(base.length() - length);
        int value = random.nextInt(100);
        // Native code fills the buffer, because an interpreted loop takes more time than the
        // write.
        MemorySegment.ofBuffer(data.clear().limit(length)).fill((byte) value);
        System.out.println("w " + offset + " " + length + " " + value);
        overlay.write(offset, data);
        System.out.println("d");
        overlay.read(random.nextLong(base.length() - BLOCK), ByteBuffer.allocate(BLOCK));
      }
    }
  }

  @Test
  void aKilledProcessLosesNoWriteThatReturned() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] model = bytes(8192 * BLOCK, seed);
    try (Medium base = base(model)) {
      for (int round = 0; round < 4; round++) {
        byte[] maybe = killAfter(1 + random.nextInt(12), random.nextLong(), model);
        try (OverlayMedium overlay = overlay(base)) {
          byte[] found = read(overlay, 0, model.length);
          for (int at = 0; at < found.length; at++) {
            if (found[at] != model[at] && found[at] != maybe[at]) {
              fail("seed %d, round %d, byte %d".formatted(seed, round, at));
            }
          }
          // A part of the interrupted write may be present.
          System.arraycopy(found, 0, model, 0, found.length);
        }
      }
    }
  }

  /// Lets the program make some writes, kills it, and applies the completed writes to the model.
  ///
  /// @return a copy of the model that also contains the interrupted write
  private byte[] killAfter(int writes, long seed, byte[] model) throws Exception {
    Process writer =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xshare:auto",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                directory.toString(),
                Long.toString(seed))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    byte[] maybe = model.clone();
    int returned = 0;
    int offset = 0;
    int end = 0;
    try (BufferedReader told = writer.inputReader()) {
      String line;
      while ((line = told.readLine()) != null) {
        if (line.equals("d")) {
          System.arraycopy(maybe, offset, model, offset, end - offset);
          returned++;
          if (returned == writes) {
            // Uses the process handle, because `Process#destroyForcibly` also closes the unread
            // output.
            writer.toHandle().destroyForcibly();
          }
          continue;
        }
        // Ignores an incomplete last line, because its write did not start.
        Matcher write = BEGUN.matcher(line);
        if (write.matches()) {
          offset = Integer.parseInt(write.group(1));
          end = offset + Integer.parseInt(write.group(2));
          Arrays.fill(maybe, offset, end, Byte.parseByte(write.group(3)));
        }
      }
    } finally {
      writer.destroyForcibly();
    }
    assertTrue(writer.waitFor(5, TimeUnit.MINUTES));
    assertTrue(returned >= writes, "The writer ended after " + returned + " writes");
    return maybe;
  }
}
