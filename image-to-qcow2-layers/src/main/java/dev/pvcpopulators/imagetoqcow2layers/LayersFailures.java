package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.ext4.Ext4;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import dev.pvcpopulators.kit.disk.DiskVolume;
import dev.pvcpopulators.kit.disk.SourceFailures;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;

/// Maps the exceptions of a conversion to failures for clients.
final class LayersFailures {
  /// The number of bytes of a file system per byte of its inode tables: a file system has one inode
  /// of 256 bytes per 16 KiB.
  private static final int BYTES_PER_INODE_BYTE = 64;

  private LayersFailures() {}

  static Failure of(IOException e, LayersRequest asked, StoreLayout store, DiskVolume volume) {
    String action = "Converting " + asked.reference();
    return switch (e) {
      case FileSystemFullException full -> tooSmall(full, asked, action);
      case UnrepresentableException unrepresentable ->
          new Failure.UnsupportedSource(action + ": " + unrepresentable.getMessage());
      default ->
          SourceFailures.of(e, action)
              .or(() -> StoreFailures.of(e, action, store.root()))
              .orElseGet(() -> volume.failureOf(e, action));
    };
  }

  private static Failure tooSmall(
      FileSystemFullException full, LayersRequest asked, String action) {
    long size = asked.journal() ? withJournal(full.required()) : full.required();
    String enough =
        size > LayersRequest.MAX_SIZE
            ? "layers have at most " + DiskSize.of(LayersRequest.MAX_SIZE)
            : LayersRequest.PREFIX + "SIZE=" + DiskSize.of(size) + " is enough";
    return new Failure.ExceedsVolume(
        action + ": " + full.getMessage() + "; " + enough, size, full.size(), false);
  }

  /// Returns the size of a file system that has room for the required bytes and for a journal.
  ///
  /// @param required the required number of bytes, a multiple of [Geometry#GRANULE]
  /// @return a size in bytes, possibly more than [Geometry#MAX_SIZE]
  private static long withJournal(long required) {
    long size = required;
    boolean enough = false;
    while (!enough && size <= Geometry.MAX_SIZE) {
      long journal = Ext4.journalLength(new Geometry(size));
      // The last term is the size of the inode tables for the space that the journal adds.
      long wanted =
          required
              + journal
              + Math.ceilDiv(journal, BYTES_PER_INODE_BYTE * Geometry.GRANULE) * Geometry.GRANULE;
      enough = wanted <= size;
      size = Math.max(size, wanted);
    }
    return size;
  }
}
