package dev.pvcpopulators.diskimage.qcow2.write;

import dev.pvcpopulators.diskimage.qcow2.format.ClusterCompression;
import dev.pvcpopulators.diskimage.qcow2.format.HeaderExtensions;
import dev.pvcpopulators.diskimage.qcow2.format.IncompatibleFeatures;
import dev.pvcpopulators.diskimage.qcow2.format.Qcow2Format;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer.Options;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The first cluster of a written file (QEMU docs/interop/qcow2, "Header" and "Header extensions"):
/// the fixed header. If there is a backing file, three parts follow: the header extension with the
/// format of the backing file, the end marker of the extensions, and the name of the backing file.
record HeaderCluster(Options options, Refcounts refcounts) {
  private static final int VERSION = 3;
  private static final int EXTENSION_HEADER_LENGTH = 8;
  private static final int NO_CRYPT_METHOD = 0;
  private static final int NO_SNAPSHOTS = 0;
  private static final long NO_FEATURES = 0;
  private static final byte[] FORMAT =
      Qcow2Format.BACKING_FORMAT.getBytes(StandardCharsets.US_ASCII);
  private static final int PADDED_FORMAT_LENGTH = (FORMAT.length + 7) & -8;

  /// Offset of the backing file's name in bytes from the beginning of the file.
  private static final int NAME_OFFSET =
      Qcow2Format.HEADER_LENGTH_KNOWN + 2 * EXTENSION_HEADER_LENGTH + PADDED_FORMAT_LENGTH;

  /// Returns the maximum length of a backing file's name in bytes.
  static int maxNameLength(int clusterBits) {
    return Math.min(Qcow2Format.MAX_BACKING_NAME_LENGTH, (1 << clusterBits) - NAME_OFFSET);
  }

  /// Writes the cluster.
  ///
  /// @param target one cluster of zeros
  void write(ByteBuffer target) {
    byte[] name =
        options
            .backingName()
            .map(text -> text.getBytes(StandardCharsets.UTF_8))
            .orElse(new byte[0]);
    ClusterCompression compression =
        options.compression() ? ClusterCompression.ZSTD : ClusterCompression.ZLIB;
    target.putInt(Qcow2Format.MAGIC).putInt(VERSION);
    target.putLong(name.length == 0 ? 0 : NAME_OFFSET).putInt(name.length);
    target.putInt(options.clusterBits()).putLong(options.virtualSize()).putInt(NO_CRYPT_METHOD);
    // The L1 table is in the clusters after the header.
    target.putInt(options.l1Entries()).putLong(options.clusterSize());
    target.putLong(refcounts.tableOffset()).putInt(refcounts.tableClusters());
    target.putInt(NO_SNAPSHOTS).putLong(NO_SNAPSHOTS);
    target.putLong(IncompatibleFeatures.of(compression).raw());
    target.putLong(NO_FEATURES).putLong(NO_FEATURES);
    target.putInt(Qcow2Format.REFCOUNT_ORDER).putInt(Qcow2Format.HEADER_LENGTH_KNOWN);
    target.put(compression.type());
    target.position(Qcow2Format.HEADER_LENGTH_KNOWN);
    if (name.length > 0) {
      target.putInt(HeaderExtensions.BACKING_FORMAT).putInt(FORMAT.length).put(FORMAT);
      target.position(NAME_OFFSET - EXTENSION_HEADER_LENGTH);
      target.putInt(HeaderExtensions.END).putInt(0);
      target.put(name);
    }
  }
}
