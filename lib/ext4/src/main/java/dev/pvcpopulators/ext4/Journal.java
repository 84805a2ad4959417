package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.block.Superblock;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DamagedFileSystemException;
import dev.pvcpopulators.ext4.structure.Ext4Format;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Inode;
import dev.pvcpopulators.ext4.structure.JournalSuperblock;
import dev.pvcpopulators.ext4.structure.Timestamp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The journal of a file system: inode 8, an ordinary file of jbd2 blocks (kernel documentation,
/// ext4, "Journal (jbd2)").
///
/// All blocks except the first are written as zeros. Without these zeros, blocks that were freed
/// during earlier edits would keep their old content. Recovery could then interpret this content as
/// a transaction.
final class Journal {
  static final long MIN_LENGTH = (long) JournalSuperblock.MIN_BLOCKS * BlockDevice.BLOCK_SIZE;
  static final long MAX_LENGTH = 1L << 30;

  /// Only root may read and write a journal.
  private static final int MODE = FileType.REGULAR.mode() | 0600;

  private static final int ZEROS_LENGTH = 1 << 20;
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  private Journal() {}

  /// Returns a suitable length of the journal: the length that `mke2fs` chooses for a file system
  /// of this size with blocks of 4 KiB (lib/ext2fs/mkjournal.c, `ext2fs_default_journal_size`), but
  /// at most 64 MiB.
  ///
  /// @return the length in bytes
  static long suitableLength(Geometry geometry) {
    long size = geometry.usedBlocks() * BlockDevice.BLOCK_SIZE;
    if (size < 128 * MIB) {
      return 4 * MIB;
    }
    if (size < GIB) {
      return 16 * MIB;
    }
    return size < 2 * GIB ? 32 * MIB : 64 * MIB;
  }

  /// Adds a journal to a file system.
  ///
  /// @param fileSystem the file system; the caller must call its [FileSystem#finish] afterwards
  /// @param length the length of the journal in bytes, from [#MIN_LENGTH] to [#MAX_LENGTH]; a
  ///   multiple of the block size
  static void add(FileSystem fileSystem, long length) throws IOException {
    if (length < MIN_LENGTH || length > MAX_LENGTH || length % BlockDevice.BLOCK_SIZE != 0) {
      throw new IllegalArgumentException(
          "A journal has a multiple of %d bytes, from %d to %d, found %d"
              .formatted(BlockDevice.BLOCK_SIZE, MIN_LENGTH, MAX_LENGTH, length));
    }
    Superblock before = fileSystem.superblock();
    if (before.journalInode() != 0) {
      throw new DamagedFileSystemException("superblock", 0, "there is a journal already");
    }
    int blocks = (int) (length / BlockDevice.BLOCK_SIZE);
    if (fileSystem.freeBlocks() < blocks) {
      throw fileSystem.full("No room for a journal of " + length + " bytes", blocks, 0);
    }
    FileExtents extents = take(fileSystem, blocks);
    Bytes root = extents.store();
    fileSystem.inodes().write(Ext4Format.JOURNAL_INODE, inode(length, extents.sectors(), root));
    fileSystem.superblock(
        new Superblock(
            fileSystem.geometry(),
            before.freeBlocks(),
            before.freeInodes(),
            Ext4Format.JOURNAL_INODE,
            backup(root, length)));
  }

  private static FileExtents take(FileSystem fileSystem, int blocks) throws IOException {
    FileExtents extents = FileExtents.none(fileSystem);
    ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_LENGTH);
    for (int taken = 0; taken < blocks; ) {
      BlockAllocator.Run run = fileSystem.blocks().take(blocks - taken);
      extents.add(taken, run);
      for (int done = 0; done < run.length(); done += ZEROS_LENGTH / BlockDevice.BLOCK_SIZE) {
        int rest = (run.length() - done) * BlockDevice.BLOCK_SIZE;
        fileSystem.device().write(run.start() + done, zeros.slice(0, Math.min(rest, ZEROS_LENGTH)));
      }
      taken += run.length();
    }
    long first = extents.extents().getFirst().start();
    fileSystem.cache().fresh(first).put(new JournalSuperblock(blocks).block());
    return extents;
  }

  private static Inode inode(long length, long sectors, Bytes root) {
    return new Inode(
        MODE,
        0,
        0,
        length,
        Timestamp.EPOCH,
        Timestamp.EPOCH,
        Timestamp.EPOCH,
        Timestamp.EPOCH,
        1,
        sectors,
        Ext4Format.EXTENTS_FLAG,
        root,
        0,
        Bytes.NONE);
  }

  /// Returns `s_jnl_blocks`: `i_block`, followed by the upper and the lower half of the size.
  private static Bytes backup(Bytes root, long length) {
    ByteBuffer backup =
        ByteBuffer.allocate(Superblock.JOURNAL_BACKUP_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    root.write(backup);
    backup.putInt((int) (length >>> Integer.SIZE)).putInt((int) length);
    return Bytes.read(backup.flip(), Superblock.JOURNAL_BACKUP_LENGTH);
  }
}
