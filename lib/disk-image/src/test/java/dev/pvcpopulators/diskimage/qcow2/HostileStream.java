package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Limits;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Passes;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Reader;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;

/// Decodes images that this class generates while the decoder reads them. Runs in a separate
/// process, so that a test can limit the heap. Exits with status 0 if each image was decoded or
/// refused as expected.
final class HostileStream {
  private static final int CLUSTER_BITS = 9;
  private static final int CLUSTER = 1 << CLUSTER_BITS;
  private static final int ENTRIES = CLUSTER / Long.BYTES;

  private HostileStream() {}

  static void main(String[] arguments) throws IOException {
    switch (arguments[0]) {
      case "scattered" -> {
        decodeScatteredTables(4096, 1 << 18);
        // If all runs were in memory at once, they would need 24 MiB, the size of the heap.
        decodeScatteredTables(16_384, 1 << 16);
      }
      case "l1" -> decodeLongestL1();
      case "missed" -> decodeMissedRuns();
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /// Decodes an image with dense L2 tables at the beginning of the file. The data follows the
  /// tables: 64 clusters for each table. Clusters that are adjacent on the disk are never adjacent
  /// in the file.
  private static void decodeScatteredTables(int tables, int pending) throws IOException {
    long clusters = (long) tables * ENTRIES;
    long l1 = CLUSTER;
    long l2 = l1 + (long) tables * Long.BYTES;
    long data = l2 + (long) tables * CLUSTER;
    Generated image =
        new Generated(data + clusters * CLUSTER) {
          @Override
          void fill(long offset, ByteBuffer cluster) {
            if (offset == 0) {
              header(cluster, clusters * CLUSTER, tables, l1);
            } else if (offset < l2) {
              for (long at = offset; cluster.hasRemaining(); at += Long.BYTES) {
                cluster.putLong(l2 + (at - l1) / Long.BYTES * CLUSTER);
              }
            } else if (offset < data) {
              long guest = (offset - l2) / CLUSTER * ENTRIES;
              for (; cluster.hasRemaining(); guest++) {
                cluster.putLong(data + scatter(guest, clusters) * CLUSTER);
              }
            } else {
              cluster.putLong((offset - data) / CLUSTER);
            }
          }
        };
    try (CheckingSink sink = new CheckingSink(clusters)) {
      new Qcow2Reader(new Qcow2Limits(0, pending, 16 << 20, 2))
          .decode(image, OptionalLong.empty(), sink);
      sink.requireAll();
    }
  }

  /// Decodes an image with 262,144 clusters. 4,096 dense L2 tables follow the clusters and map
  /// them. Clusters that are adjacent on the disk are never adjacent in the file, so each cluster
  /// is one run. First, the limits let the reader record all runs, and a second pass reads the
  /// runs. Then the limits let the reader record only half of the runs, so a third pass is
  /// necessary.
  private static void decodeMissedRuns() throws IOException {
    int tables = 4096;
    long clusters = (long) tables * ENTRIES;
    long l1 = CLUSTER;
    long data = l1 + (long) tables * Long.BYTES;
    // The distance between the data and the tables is longer than the window.
    long l2 = data + clusters * CLUSTER + (8 << 20);
    Generated image =
        new Generated(l2 + (long) tables * CLUSTER) {
          @Override
          void fill(long offset, ByteBuffer cluster) {
            if (offset == 0) {
              header(cluster, clusters * CLUSTER, tables, l1);
            } else if (offset < data) {
              for (long at = offset; cluster.hasRemaining(); at += Long.BYTES) {
                cluster.putLong(l2 + (at - l1) / Long.BYTES * CLUSTER);
              }
            } else if (offset < l2) {
              cluster.putLong((offset - data) / CLUSTER);
            } else {
              long guest = (offset - l2) / CLUSTER * ENTRIES;
              for (; cluster.hasRemaining(); guest++) {
                cluster.putLong(data + scatter(guest, clusters) * CLUSTER);
              }
            }
          }
        };
    for (int noted : new int[] {1 << 18, 1 << 17}) {
      int count = 0;
      try (CheckingSink sink = new CheckingSink(clusters);
          Qcow2Passes passes =
              new Qcow2Reader(new Qcow2Limits(0, noted, 16 << 20, 2)).passes(sink)) {
        for (; !passes.complete(); count++) {
          image.rewind();
          passes.read(image, OptionalLong.empty());
        }
        sink.requireAll();
      }
      if (count != 1 + clusters / noted) {
        throw new AssertionError(count + " passes for " + noted + " runs each");
      }
    }
  }

  /// Decodes an image whose L1 table of 32 MiB names four million L2 tables in mixed order. The
  /// source ends 32 MiB after the L1 table.
  private static void decodeLongestL1() throws IOException {
    int tables = 4 << 20;
    long l1 = CLUSTER;
    long l2 = l1 + (long) tables * Long.BYTES;
    Generated image =
        new Generated(l2 + (32 << 20)) {
          @Override
          void fill(long offset, ByteBuffer cluster) {
            if (offset == 0) {
              header(cluster, (long) tables * ENTRIES * CLUSTER, tables, l1);
            } else if (offset < l2) {
              for (long at = offset; cluster.hasRemaining(); at += Long.BYTES) {
                cluster.putLong(l2 + scatter((at - l1) / Long.BYTES, tables) * CLUSTER);
              }
            }
          }
        };
    try (CheckingSink sink = new CheckingSink(0)) {
      new Qcow2Reader(Qcow2Limits.defaults()).decode(image, OptionalLong.empty(), sink);
    } catch (MalformedImageException e) {
      if (e.structure().equals("L2 table")) {
        return;
      }
      throw e;
    }
    throw new AssertionError("a cut image was decoded");
  }

  private static void header(ByteBuffer cluster, long size, int l1Entries, long l1Offset) {
    cluster.putInt(0x514649fb).putInt(3).putLong(0).putInt(0).putInt(CLUSTER_BITS).putLong(size);
    cluster.putInt(0).putInt(l1Entries).putLong(l1Offset);
    cluster.putInt(96, 4).putInt(100, 104);
  }

  /// Permutes the numbers from 0 to `count` - 1, and returns the new number of `index`. `count` is
  /// a power of two.
  private static long scatter(long index, long count) {
    return index * 0x9e3779b1L + 12345 & count - 1;
  }

  /// A source that generates its data cluster by cluster.
  private abstract static class Generated extends InputStream {
    private final byte[] cluster = new byte[CLUSTER];
    private final long length;
    private long position;

    Generated(long length) {
      this.length = length;
    }

    abstract void fill(long offset, ByteBuffer cluster);

    void rewind() {
      position = 0;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] target, int offset, int count) {
      if (position == length) {
        return -1;
      }
      int within = (int) (position % CLUSTER);
      if (within == 0) {
        Arrays.fill(cluster, (byte) 0);
        fill(position, ByteBuffer.wrap(cluster));
      }
      int given = Math.min(count, CLUSTER - within);
      System.arraycopy(cluster, within, target, offset, given);
      position += given;
      return given;
    }
  }

  /// Checks that each guest cluster contains its number: the ordinal of its host cluster among the
  /// data clusters of the file. Stores only staged bytes.
  private static final class CheckingSink implements DiskSink, Staging, AutoCloseable {
    private final long clusters;
    private final Path path = Files.createTempFile("stage", ".bin");
    private final RandomAccessFile stage = new RandomAccessFile(path.toFile(), "rw");
    private final byte[] moved = new byte[CLUSTER];
    private long seen;

    CheckingSink(long clusters) throws IOException {
      this.clusters = clusters;
    }

    void requireAll() {
      if (seen != clusters) {
        throw new AssertionError(seen + " of " + clusters + " clusters were written");
      }
    }

    @Override
    public void expect(long virtualSize) {
      // Any size is accepted.
    }

    @Override
    public void write(long guestOffset, byte[] source, int offset, int length) {
      for (int at = 0; at < length; at += CLUSTER) {
        long expected = scatter((guestOffset + at) / CLUSTER, clusters);
        if (ByteBuffer.wrap(source).getLong(offset + at) != expected) {
          throw new AssertionError("wrong content at " + (guestOffset + at));
        }
        seen++;
      }
    }

    @Override
    public Staging staging(OptionalLong hostLength) {
      return this;
    }

    @Override
    public void keep(long hostOffset, byte[] source, int offset, int length) throws IOException {
      stage.seek(hostOffset);
      stage.write(source, offset, length);
    }

    @Override
    public void read(long hostOffset, byte[] target, int offset, int length) throws IOException {
      stage.seek(hostOffset);
      stage.readFully(target, offset, length);
    }

    @Override
    public void moveToGuest(long hostOffset, long guestOffset, long length) throws IOException {
      for (long at = 0; at < length; at += CLUSTER) {
        read(hostOffset + at, moved, 0, CLUSTER);
        write(guestOffset + at, moved, 0, CLUSTER);
      }
    }

    @Override
    public void close() throws IOException {
      stage.close();
      Files.delete(path);
    }
  }
}
