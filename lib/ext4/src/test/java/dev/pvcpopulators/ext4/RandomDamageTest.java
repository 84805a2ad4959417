package dev.pvcpopulators.ext4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Timestamp;
import dev.pvcpopulators.ext4.structure.Xattr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests randomly damaged file systems. Each read or edit must end in bounded time and memory, with
/// or without an `IOException`.
@Tag("tools")
@Timeout(value = 1200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RandomDamageTest {
  private static final int BLOCK = BlockDevice.BLOCK_SIZE;
  private static final long SIZE = 16L << 20;
  private static final int ROUNDS = Integer.getInteger("damage.rounds", 300);
  private static final long SEED = Long.getLong("damage.seed", 0xda3a6e);

  /// The maximum number of reads of one edit. An edit of a valid file system needs far fewer reads.
  private static final int MOST_READS = 200_000;

  private static byte[] sound = new byte[0];

  private static int inodeTable;

  /// The numbers of all non-zero blocks, except blocks with the content of files.
  private static List<Integer> used = List.of();

  /// A disk in memory: a base that stays unchanged, and the blocks that were written later.
  private static final class Memory implements BlockDevice {
    private final byte[] base;
    private final Map<Long, byte[]> written = new HashMap<>();
    private int reads;

    Memory(byte[] base) {
      this.base = base;
    }

    Memory copy() {
      Memory copy = new Memory(base);
      written.forEach((block, bytes) -> copy.written.put(block, bytes.clone()));
      return copy;
    }

    @Override
    public long blockCount() {
      return SIZE / BLOCK;
    }

    /// Returns a block. A change of the buffer changes the disk.
    ByteBuffer block(long number) {
      byte[] bytes =
          written.computeIfAbsent(
              number,
              block ->
                  Arrays.copyOfRange(base, (int) (block * BLOCK), (int) ((block + 1) * BLOCK)));
      return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void read(long block, ByteBuffer target) {
      for (long next = block; target.hasRemaining(); next++) {
        if (++reads > MOST_READS) {
          throw new AssertionError("reads without end");
        }
        byte[] bytes = written.get(next);
        target.put(bytes == null ? base : bytes, bytes == null ? (int) next * BLOCK : 0, BLOCK);
      }
    }

    @Override
    public void write(long block, ByteBuffer source) {
      for (long next = block; source.hasRemaining(); next++) {
        byte[] bytes = new byte[BLOCK];
        source.get(bytes);
        written.put(next, bytes);
      }
    }

    byte[] bytes() {
      byte[] all = base.clone();
      written.forEach(
          (block, bytes) -> System.arraycopy(bytes, 0, all, (int) (block * BLOCK), BLOCK));
      return all;
    }
  }

  @BeforeAll
  static void make() throws IOException {
    Memory disk = new Memory(new byte[(int) SIZE]);
    Ext4.format(disk, new Geometry(SIZE));
    Layer.applyUnchecked(disk, RandomDamageTest::fill);
    // Removes every second small file, so that the next file has many extents.
    Layer.applyUnchecked(
        disk,
        layer -> {
          for (int i = 0; i < 300; i += 2) {
            layer.whiteout("many/file-" + i);
          }
          layer.file("pieces", new byte[120 * BLOCK], Layer.PLAIN);
          byte[] full = new byte[120 * BLOCK];
          Arrays.fill(full, (byte) 7);
          layer.file("pieces", full, Layer.PLAIN);
        });
    byte[] bytes = disk.bytes();
    sound = bytes;
    inodeTable = disk.block(1).getInt(8);
    List<Integer> blocks = new ArrayList<>();
    for (int block = 0; block < SIZE / BLOCK; block++) {
      boolean zero = true;
      for (int i = 0; i < BLOCK && zero; i++) {
        zero = bytes[block * BLOCK + i] == 0;
      }
      boolean data = bytes[block * BLOCK] == 7;
      if (!zero && !data) {
        blocks.add(block);
      }
    }
    used = List.copyOf(blocks);
    assertTrue(used.size() > 40, used.toString());
  }

  private static void fill(Layer layer) throws IOException {
    Xattr large = new Xattr("user.large", Bytes.of(new byte[500]));
    Attributes attributed =
        new Attributes(
            0644, 1, 2, Timestamp.EPOCH, List.of(large, Layer.xattr("user.x", (byte) 1)));
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) 7);
    for (int i = 0; i < 300; i++) {
      layer.file("many/file-" + i, content, Layer.PLAIN);
    }
    for (int i = 0; i < 20; i++) {
      layer.file("deep/a" + i % 3 + "/b" + i % 5 + "/c" + i, content, attributed);
      layer.hardLink("linked/" + i, "many/file-" + (2 * i + 1));
      layer.special("dev/" + i, FileType.CHARACTER_DEVICE, i, i);
    }
    layer.link("short", "deep/a0/b0").link("long", "deep/" + "../deep/".repeat(100) + "a1/b1");
    layer.link("around", "around2").link("around2", "around");
  }

  @Test
  void endsForEveryWrongBit() throws IOException {
    System.out.println("seed " + SEED);
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(SEED + round);
      Memory damaged = new Memory(sound);
      damage(damaged, random);
      try {
        refused += read(damaged.copy()) + edit(damaged, random);
      } catch (RuntimeException | AssertionError | StackOverflowError | OutOfMemoryError e) {
        throw new AssertionError("-Ddamage.seed=" + (SEED + round), e);
      }
    }
    assertTrue(refused > ROUNDS / 10, refused + " refusals");
  }

  @Test
  void endsWithASoundOne() throws IOException {
    assertEquals(0, read(new Memory(sound)));
    assertEquals(0, edit(new Memory(sound), new Random(1)));
  }

  private static void damage(Memory disk, Random random) {
    for (int count = 1 + random.nextInt(4); count > 0; count--) {
      int number = used.get(random.nextInt(used.size()));
      ByteBuffer block = disk.block(number);
      int at = random.nextInt(BLOCK / 4) * 4;
      switch (random.nextInt(5)) {
        case 0 -> block.put(at, (byte) (block.get(at) ^ (1 << random.nextInt(8))));
        case 1 -> block.putInt(at, random.nextInt());
        case 2 -> block.putInt(at, random.nextInt(4096));
        case 3 -> block.putInt(at, block.getInt(random.nextInt(BLOCK / 4) * 4));
        case 4 -> {
          if (number > 1 && random.nextInt(4) == 0) {
            block.put(disk.block(used.get(random.nextInt(used.size()))));
          }
        }
        default -> throw new AssertionError();
      }
    }
    // Changes a word of an inode that is probably in use.
    ByteBuffer descriptors = disk.block(1);
    int inode = 1 + random.nextInt(400);
    ByteBuffer table = disk.block(inodeTable + inode / 16);
    table.putInt(
        inode % 16 * 256 + random.nextInt(64) * 4, random.nextInt(1 << random.nextInt(31)));
    if (random.nextInt(3) == 0) {
      descriptors.putShort(0xc + random.nextInt(9) * 2, (short) random.nextInt());
    }
    if (random.nextInt(10) > 0) {
      descriptors.putShort(0x1e, crc16(disk.block(0), descriptors));
    }
  }

  /// Returns the checksum of the first group's descriptor (kernel documentation, ext4, "Block Group
  /// Descriptors").
  private static short crc16(ByteBuffer superblock, ByteBuffer descriptor) {
    byte[] input = new byte[16 + 4 + 30];
    superblock.get(1024 + 0x68, input, 0, 16);
    descriptor.get(0, input, 20, 30);
    int crc = 0xffff;
    for (byte b : input) {
      crc ^= b & 0xff;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc >>> 1) ^ ((crc & 1) * 0xa001);
      }
    }
    return (short) crc;
  }

  private static int read(Memory disk) {
    int refused = 0;
    for (String path :
        List.of("many/file-1", "pieces", "short/c0", "long/c1", "around", "deep/a2/b2/c2")) {
      try {
        TreeReader.open(disk).file(Layer.path(path), 1 << 20);
      } catch (IOException e) {
        refused++;
      }
    }
    return refused;
  }

  @FunctionalInterface
  private interface Step {
    void to(Layer layer) throws IOException;
  }

  private static final List<Step> STEPS =
      List.of(
          layer -> layer.file("many/new", "new"),
          layer -> layer.file("pieces", "shorter"),
          layer -> layer.file("short/new", "below a link"),
          layer -> layer.file("long/c1", new byte[3 * BLOCK], Layer.PLAIN),
          layer -> layer.whiteout("many"),
          layer -> layer.whiteout("deep/a1"),
          layer -> layer.opaque("deep"),
          layer -> layer.opaque("/"),
          layer -> layer.hardLink("again", "linked/3"),
          layer -> layer.hardLink("linked/4", "many/file-9"),
          layer -> layer.directory("dev"),
          layer -> layer.directory("dev/3"),
          layer -> layer.directory("/"),
          layer -> layer.whiteout("linked/5"),
          layer -> layer.link("deep/a0", "elsewhere"),
          layer ->
              layer
                  .edit()
                  .special(Layer.path("many"), Layer.PLAIN, FileType.FIFO, new DeviceNumber(0, 0)));

  private static int edit(Memory disk, Random random) {
    int refused = 0;
    try (LayerEdit edit = LayerEdit.open(disk)) {
      Layer layer = new Layer(edit);
      for (int i = 0; i < 8; i++) {
        try {
          STEPS.get(random.nextInt(STEPS.size())).to(layer);
        } catch (IOException e) {
          refused++;
        }
      }
      edit.finish();
    } catch (IOException e) {
      refused++;
    }
    return refused;
  }

  /// The directories `x` and `x/y` contain each other.
  @Test
  void findsNoWayRoundInACircle() throws IOException {
    Memory disk = new Memory(new byte[(int) SIZE]);
    Ext4.format(disk, new Geometry(SIZE));
    Layer.applyUnchecked(disk, layer -> layer.directory("x/y/z").file("x/y/f", "f"));
    ByteBuffer x = directoryBlock(disk, 11);
    x.putInt(12, 12);
    ByteBuffer y = directoryBlock(disk, 12);
    assertEquals(13, y.getInt(24));
    y.putInt(24, 11);
    for (String path : List.of("x", "x/y")) {
      DamagedFileSystemException refusal =
          assertThrows(
              DamagedFileSystemException.class,
              () -> Layer.applyUnchecked(disk.copy(), layer -> layer.opaque(path)));
      assertTrue(String.valueOf(refusal.getMessage()).contains("below itself"), refusal::toString);
    }
  }

  /// Returns the first block of a directory. This block begins with the entry `.`.
  private static ByteBuffer directoryBlock(Memory disk, int inode) {
    for (long number = 2; number < disk.blockCount(); number++) {
      ByteBuffer block = disk.block(number);
      if (block.getInt(0) == inode && block.getShort(4) == 12 && block.get(8) == '.') {
        return block;
      }
    }
    throw new AssertionError("no directory " + inode);
  }
}
