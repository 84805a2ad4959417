package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests a damaged file with a valid backing file. The reader must refuse the damaged file with an
/// expected exception, or must return a disk. If only one bit of the file has changed, this disk
/// must be the disk of the undamaged file, or the disk that QEMU reads from the damaged file.
@Tag("tools")
class Qcow2ChainDamageTest {
  private static final int SIZE = (int) ImageBytes.SIZE;
  private static final String BACKING = "bottom.qcow2";

  /// The offset of the header extensions in the undamaged file.
  private static final int EXTENSIONS = 104;

  private static final int NAME = 136;
  private static final int END = NAME + BACKING.length();

  @TempDir private Path directory = Path.of("");
  private Path bottom = Path.of("");
  private Path top = Path.of("");
  private Path raw = Path.of("");
  private byte[] whole = {};
  private final ByteBuffer disk = ByteBuffer.allocateDirect(SIZE);
  private int read;

  @BeforeEach
  void stack() throws Exception {
    bottom = directory.resolve(BACKING);
    top = directory.resolve("top.qcow2");
    raw = directory.resolve("expected.raw");
    Qemu.img("create", "-q", "-f", "qcow2", bottom, SIZE).ok();
    Qemu.io(bottom, List.of("write -P 66 0 3M"));
    whole = readByQemu(image().toArray());
  }

  /// Returns a valid image, with the bottom file as its backing file.
  private static ImageBytes image() {
    ImageBytes image = new ImageBytes();
    image.putLong(8, NAME).putInt(16, BACKING.length());
    image.putInt(EXTENSIONS, 0xe2792aca).putInt(EXTENSIONS + 4, 5);
    image.put(EXTENSIONS + 8, "qcow2".getBytes(StandardCharsets.US_ASCII));
    return image.put(NAME, BACKING.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void theSoundOneIsRead() throws Exception {
    check("sound", image().toArray(), true);
    assertEquals(1, read);
    assertTrue(whole[1 << 20] == 66 && whole[0] != 66, "both files show");
  }

  @Test
  void everyBitOfTheHeaderCluster() throws Exception {
    for (int bit = 0; bit < 8 * END; bit++) {
      check("bit " + bit, image().flip(bit).toArray(), true);
    }
    assertTrue(read > 0, "nothing was read");
  }

  @Test
  void everyBitOfTableEntries() throws Exception {
    for (int table : new int[] {ImageBytes.L1, ImageBytes.L2, ImageBytes.L2 + 8 * 9}) {
      for (int bit = 0; bit < 64; bit++) {
        byte[] damaged = image().flip(8L * table + bit).toArray();
        check("table %d, bit %d".formatted(table, bit), damaged, true);
      }
    }
    assertTrue(read > 0, "nothing was read");
  }

  @Test
  void cutAnywhere() throws Exception {
    long seed = 31;
    Random random = new Random(seed);
    for (int i = 0; i < 150; i++) {
      int length = random.nextInt(image().length());
      check("seed " + seed + ", cut to " + length, image().resize(length).toArray(), false);
    }
  }

  @Test
  void damagedAnywhere() throws Exception {
    long seed = Long.getLong("qcow2.seed", 32);
    Random random = new Random(seed);
    for (int i = 0; i < 1000; i++) {
      ImageBytes image = image();
      int count = 1 + random.nextInt(3);
      for (int j = 0; j < count; j++) {
        int at =
            switch (random.nextInt(4)) {
              case 0 -> random.nextInt(END - 8);
              case 1 -> ImageBytes.L1 + 8 * random.nextInt(2);
              case 2 -> ImageBytes.L2 + 8 * random.nextInt(16);
              default -> ImageBytes.PACKED + random.nextInt(600);
            };
        image.putLong(
            at,
            switch (random.nextInt(4)) {
              case 0 -> random.nextLong();
              case 1 -> image.getLong(at) ^ (1L << random.nextInt(64));
              case 2 -> (long) random.nextInt(20) * ImageBytes.CLUSTER;
              default -> -random.nextInt(3);
            });
      }
      check("seed " + seed + ", #" + i, image.toArray(), false);
    }
    assertTrue(read > 0, "nothing was read");
  }

  /// Reads a damaged file.
  ///
  /// @param compare whether the disk must be the disk of the undamaged file, or the disk that QEMU
  ///   reads from the damaged file
  private void check(String name, byte[] damaged, boolean compare) throws Exception {
    write(damaged);
    disk.clear();
    try (Qcow2Chain chain = Qcow2Chain.open(List.of(bottom, top), SIZE)) {
      chain.read(0, disk);
      long zeros = 0;
      for (long at = 0; at < SIZE; at += Math.max(512, zeros)) {
        zeros = chain.zeros(at);
      }
    } catch (MalformedImageException | UnsupportedFeatureException _) {
      return;
    } catch (IOException | RuntimeException e) {
      throw new AssertionError(name, e);
    }
    read++;
    if (compare && !disk.flip().equals(ByteBuffer.wrap(whole))) {
      assertEquals(-1, disk.mismatch(ByteBuffer.wrap(readByQemu(damaged))), name);
    }
  }

  /// Deletes the old file and creates a new file, to save time. ext4 flushes a file that is
  /// truncated and rewritten, but does not flush a new file.
  private void write(byte[] bytes) throws IOException {
    Files.deleteIfExists(top);
    Files.write(top, bytes);
  }

  private byte[] readByQemu(byte[] source) throws Exception {
    write(source);
    Qemu.img("convert", "-f", "qcow2", "-O", "raw", top, raw).ok();
    return Files.readAllBytes(raw);
  }
}
