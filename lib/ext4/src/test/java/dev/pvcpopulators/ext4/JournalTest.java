package dev.pvcpopulators.ext4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests journals with the kernel, e2fsck and mke2fs.
class JournalTest {
  private static final long SIZE = 64L << 20;
  private static final long LENGTH = 4L << 20;

  @TempDir Path home;

  private DiskFile filled() throws IOException {
    DiskFile disk = DiskFile.formatted(home.resolve("disk"), SIZE);
    Layer.applyUnchecked(disk, layer -> layer.file("a", "content of a").file("d/b", "b"));
    return disk;
  }

  private static String dump(Path image) {
    return Command.run("dumpe2fs", "-h", image.toString());
  }

  @Test
  @Tag("tools")
  void isOneForE2fsckAndTheKernel() throws IOException {
    try (DiskFile disk = filled()) {
      Ext4.addJournal(disk, LENGTH);
      disk.check();
      String dump = dump(disk.path());
      assertTrue(dump.contains("has_journal"), dump);
      assertTrue(dump.contains("Journal inode:            8"), dump);
      assertTrue(dump.contains("Journal backup:           inode blocks"), dump);
      assertTrue(dump.contains("Total journal blocks:     1024"), dump);
      assertEquals(
          "content of a",
          disk.mountedWritable(
              "test -d /proc/fs/jbd2/$(basename \"$(findmnt -n -o SOURCE -T .)\")-8; cp -r d e; cat a"));
      disk.check();
      assertTrue(TreeReader.open(disk).file(Layer.path("e/b"), 10).isPresent());
    }
  }

  /// Offset 0xe0 of the superblock has the number of the journal's inode. In a file system of this
  /// library, this number is always 8.
  @Test
  void anotherInodeIsRefused() throws IOException {
    MemoryDevice disk = MemoryDevice.ofSize((int) SIZE);
    Ext4.format(disk, new Geometry(SIZE));
    Ext4.addJournal(disk, LENGTH);
    TreeReader.open(disk);
    for (byte inode : new byte[] {0, 7, 9}) {
      disk.bytes()[1024 + 0xe0] = inode;
      DamagedFileSystemException e =
          assertThrows(DamagedFileSystemException.class, () -> TreeReader.open(disk));
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("journal inode: expected 8, found " + inode), message);
    }
  }

  @Test
  @Tag("tools")
  void recoversCommittedTransactions() throws IOException {
    try (DiskFile disk = filled()) {
      Ext4.addJournal(disk, LENGTH);
      String copy = home.resolve("crashed").toString();
      disk.mountedWritable(
          """
          for i in {1..300}; do echo "value $i" > "d/n$i"; done
          rm d/n7; mv a renamed; setfattr -n user.x -v y d; sync -f .
          for i in {1..300}; do echo lost > "d/late$i"; done
          cp --sparse=always "$1" "$2"
          """,
          disk.path().toString(),
          copy);
      String dump = dump(Path.of(copy));
      assertTrue(dump.contains("needs_recovery"), dump);
      assertTrue(!dump.contains("Journal start:            0\n"), dump);
      // Exit code 1 means that e2fsck corrected errors. Here, e2fsck recovered the journal.
      String recovery = Command.shell("e2fsck -fy \"$1\" 2>&1 || test $? = 1", copy);
      assertTrue(recovery.contains("recovering journal"), recovery);
      Command.run("e2fsck", "-fn", copy);
      Command.shell(
          """
          flock /dev/loop-control mount -o loop "$1" "$2"
          trap 'umount "$2"' EXIT
          test "$(cat "$2/renamed")" = "content of a"
          test "$(cat "$2/d/n300")" = "value 300"
          test ! -e "$2/d/n7"
          """,
          copy,
          Files.createDirectory(home.resolve("mnt")).toString());
    }
  }

  @Test
  @Tag("tools")
  void reusesSpaceOfRemovedFiles() throws IOException {
    int files = 3_200;
    byte[] secret = new byte[BlockDevice.BLOCK_SIZE];
    java.util.Arrays.fill(secret, (byte) 0xc0);
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), SIZE)) {
      Layer.applyUnchecked(
          disk,
          layer -> {
            for (int i = 0; i < files; i++) {
              layer.file("f" + i, secret, Layer.PLAIN);
            }
          });
      Layer.applyUnchecked(
          disk,
          layer -> {
            for (int i = 0; i < files; i += 2) {
              layer.whiteout("f" + i);
            }
          });
      // The journal fills 1,600 holes. Its extents need more leaf nodes than the root of the
      // extent tree can list.
      Ext4.addJournal(disk, 2 * LENGTH);
      disk.check();
      String inode = Command.run("debugfs", "-R", "stat <8>", disk.path().toString());
      assertTrue(inode.contains("(ETB1)"), inode);
      String journal = home.resolve("journal").toString();
      Command.run("debugfs", "-R", "dump <8> " + journal, disk.path().toString());
      Command.shell("cmp -n $((8388608 - 4096)) <(tail -c +4097 \"$1\") /dev/zero", journal);
      disk.mountedWritable("rm f1; for i in {1..99}; do echo $i > g$i; done; sync -f .");
      disk.check();
    }
  }

  @Test
  @Tag("tools")
  void takesTheLastBlockButNotOneMore() throws IOException {
    for (int missing = 0; missing < 2; missing++) {
      try (DiskFile disk = DiskFile.formatted(home.resolve("disk" + missing), 16L << 20)) {
        TreeReader.Usage usage = TreeReader.open(disk).usage();
        long rest = usage.blockCount() - usage.blocks() - 1_024 + missing;
        byte[] content = new byte[(int) rest * BlockDevice.BLOCK_SIZE];
        java.util.Arrays.fill(content, (byte) 1);
        Layer.applyUnchecked(disk, layer -> layer.file("f", content, Layer.PLAIN));
        if (missing == 0) {
          Ext4.addJournal(disk, LENGTH);
        } else {
          FileSystemFullException full =
              assertThrows(FileSystemFullException.class, () -> Ext4.addJournal(disk, LENGTH));
          assertEquals(17L << 20, full.required());
        }
        disk.check();
      }
    }
  }

  @Test
  @Tag("tools")
  void refusesAnInvalidJournal() throws IOException {
    try (DiskFile disk = filled()) {
      for (long length : new long[] {0, LENGTH - 4096, LENGTH + 1, (1L << 30) + 4096}) {
        assertThrows(IllegalArgumentException.class, () -> Ext4.addJournal(disk, length));
      }
      Ext4.addJournal(disk, LENGTH);
      assertThrows(DamagedFileSystemException.class, () -> Ext4.addJournal(disk, LENGTH));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {16, 127, 128, 1023, 1024, 2047, 2048, 16383})
  @Tag("tools")
  void isAsLongAsMke2fsMakesIt(long mebibytes) throws IOException {
    Path image = home.resolve("other");
    Command.shell(
        "truncate -s ${1}M \"$2\"; mke2fs -q -F -b 4096 -O ^resize_inode -E lazy_itable_init=1,"
            + "lazy_journal_init=1 -t ext4 \"$2\"",
        Long.toString(mebibytes), image.toString());
    String dump = dump(image);
    long blocks = Ext4.journalLength(new Geometry(mebibytes << 20)) / BlockDevice.BLOCK_SIZE;
    assertTrue(dump.contains("Total journal blocks:     " + blocks + "\n"), blocks + "\n" + dump);
  }

  @Test
  void isAtMost64MebibytesLong() {
    assertEquals(64L << 20, Ext4.journalLength(new Geometry(Geometry.MAX_SIZE)));
  }
}
