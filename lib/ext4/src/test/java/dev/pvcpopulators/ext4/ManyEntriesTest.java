package dev.pvcpopulators.ext4;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.Timestamp;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class ManyEntriesTest {
  private static final long MIB = 1L << 20;
  private static final int MOST_SUBDIRECTORIES = 64_998;

  @TempDir Path home;

  @Test
  void directoryOfFiftyThousand() throws IOException {
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 1024 * MIB)) {
      Layer.applyUnchecked(
          disk,
          layer -> {
            for (int i = 0; i < 50_000; i++) {
              // Some files have content and need a block, so that the blocks of the directory are
              // not adjacent.
              layer.file("d/a-file-of-some-length-" + i, i % 50 == 0 ? "1" : "");
            }
          });
      assertEquals(
          "50000 1000\n", disk.mounted("echo $(ls d | wc -l) $(find d -type f -size +0 | wc -l)"));
      Layer.apply(
          disk,
          layer -> {
            for (int i = 0; i < 50_000; i += 2) {
              layer.whiteout("d/a-file-of-some-length-" + i);
            }
            layer.file("d/new", "2").hardLink("d/other", "d/a-file-of-some-length-49999");
          });
      assertEquals("25002 2\n", disk.mounted("echo $(ls d | wc -l) $(cat d/new)"));
      Layer.apply(disk, layer -> layer.opaque("d"));
      assertEquals("2 0\n", disk.mounted("echo $(stat -c %h d) $(ls d | wc -l)"));
    }
  }

  @Test
  void moreSubdirectoriesThanALinkCountHolds() throws IOException {
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 1280 * MIB)) {
      Layer.applyUnchecked(
          disk,
          layer -> {
            for (int i = 0; i < MOST_SUBDIRECTORIES; i++) {
              layer.directory("d/" + i);
            }
          });
      assertEquals("65000\n", disk.mounted("stat -c %h d"));
      Layer.apply(disk, layer -> layer.directory("d/more").directory("d/0"));
      assertEquals("1\n", disk.mounted("stat -c %h d"));
      Layer.apply(disk, layer -> layer.directory("d/again").whiteout("d/7").whiteout("d/8"));
      assertEquals("65000\n", disk.mounted("stat -c %h d"));
    }
  }

  @Test
  void sixtyFiveThousandNamesAndNoMore() throws IOException {
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 16 * MIB)) {
      Layer.apply(
          disk,
          layer -> {
            layer.file("f", "1");
            for (int i = 1; i < 65_000; i++) {
              layer.hardLink("d/" + i, "f");
            }
            UnrepresentableException e =
                assertThrows(UnrepresentableException.class, () -> layer.hardLink("x", "d/9"));
            assertEquals("/x: a file has at most 65000 names", e.getMessage());
          });
      assertEquals("65000\n", disk.mounted("stat -c %h f"));
    }
  }

  @Test
  void deepTreesComeAndGo() throws IOException {
    EntryPath deep = new EntryPath(Collections.nCopies(4_000, Name.of("d")));
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 128 * MIB)) {
      Layer.apply(
          disk,
          layer -> {
            layer.edit().directory(deep, Layer.PLAIN);
            layer.edit().file(deep.child(Name.of("f")), Layer.PLAIN, 0).close();
          });
      Layer.apply(
          disk,
          layer -> {
            layer.edit().file(deep.child(Name.of("g")), Layer.PLAIN, 0).close();
            layer.whiteout("d");
          });
      assertEquals(4_000 + 11, TreeReader.open(disk).usage().inodes());
      Layer.apply(disk, layer -> layer.file("d", ""));
      assertEquals(11, TreeReader.open(disk).usage().inodes());
    }
  }

  /// Equal layers must give equal bytes, and also the same order of the writes. A qcow2 file stores
  /// the blocks in the order of the writes.
  @Test
  void sameLayersAreWrittenInTheSameOrderAnywhere() throws IOException {
    Locale locale = Locale.getDefault();
    TimeZone zone = TimeZone.getDefault();
    Recording one = new Recording(MemoryDevice.ofSize((int) (64 * MIB)));
    Ext4.format(one, new Geometry(64 * MIB));
    for (int number = 0; number < 3; number++) {
      Layer.applyUnchecked(one, layers(number));
    }
    try {
      Locale.setDefault(Locale.forLanguageTag("tr-TR-u-nu-arab"));
      TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Chatham"));
      Recording other = new Recording(MemoryDevice.ofSize((int) (64 * MIB)));
      Ext4.format(other, new Geometry(64 * MIB));
      for (int number = 0; number < 3; number++) {
        // Copies the disk before each layer, as if each layer had its own process.
        other = new Recording(other.disk.copy(), other.order);
        Layer.applyUnchecked(other, layers(number));
      }
      assertEquals(one.order.getValue(), other.order.getValue());
      assertArrayEquals(one.disk.bytes(), other.disk.bytes());
    } finally {
      Locale.setDefault(locale);
      TimeZone.setDefault(zone);
    }
  }

  private static Layer.Content layers(int number) {
    Attributes wide =
        new Attributes(
            0755, 0, 0, Timestamp.EPOCH, List.of(Layer.xattr("user.wide", new byte[3000])));
    Bytes target = Bytes.of("x".repeat(100).getBytes(UTF_8));
    return layer -> {
      // The first layer has more metadata than fits into the cache.
      for (int i = 0; i < (number == 0 ? 1_900 : 50); i++) {
        String name = number + "-" + i;
        layer.edit().directory(Layer.path("a/" + name), wide);
        layer.edit().symbolicLink(Layer.path("b/" + name), wide, target);
      }
      for (int i = number; i < 50; i++) {
        layer.file("f/" + i, "content " + number).whiteout("a/0-" + i);
      }
      layer.opaque("b");
    };
  }

  private static final class Recording implements BlockDevice {
    private final MemoryDevice disk;
    private final CRC32 order;

    Recording(MemoryDevice disk) {
      this(disk, new CRC32());
    }

    Recording(MemoryDevice disk, CRC32 order) {
      this.disk = disk;
      this.order = order;
    }

    @Override
    public long blockCount() {
      return disk.blockCount();
    }

    @Override
    public void read(long block, ByteBuffer target) {
      disk.read(block, target);
    }

    @Override
    public void write(long block, ByteBuffer source) {
      order.update(ByteBuffer.allocate(Long.BYTES).putLong(0, block));
      order.update(source.duplicate());
      disk.write(block, source);
    }
  }
}
