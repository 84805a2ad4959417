package dev.pvcpopulators.diskimage.qcow2;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/// A minimal reader for a small qcow2 image in memory. [Qcow2Fuzz] compares the library with this
/// reader. The reader follows only the specification (QEMU docs/interop/qcow2), and shares no code
/// with the library.
final class PlainQcow2 {
  private static final long OFFSET_MASK = 0x00ff_ffff_ffff_fe00L;
  private static final long COMPRESSED = 1L << 62;
  private static final int V2_HEADER = 72;

  private final ByteBuffer image;
  private final int clusterBits;
  private final int version;
  private final long size;

  private PlainQcow2(ByteBuffer image) {
    this.image = image;
    version = image.getInt(4);
    clusterBits = image.getInt(20);
    size = image.getLong(24);
  }

  /// Returns the guest's bytes; empty if the image is malformed or not supported.
  ///
  /// @param length the number of bytes to return, from the beginning of the guest's disk
  static Optional<byte[]> read(byte[] bytes, int length) {
    if (bytes.length < V2_HEADER) {
      return Optional.empty();
    }
    PlainQcow2 plain = new PlainQcow2(ByteBuffer.wrap(bytes));
    if (plain.clusterBits < 9 || plain.clusterBits > 21 || plain.strange()) {
      return Optional.empty();
    }
    try {
      return Optional.of(plain.guest(length));
    } catch (IndexOutOfBoundsException | DataFormatException | IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// Returns whether the image has an incompatible feature that this reader does not support.
  private boolean strange() {
    return version == 3 && (image.getLong(72) & ~3L) != 0;
  }

  private byte[] guest(int length) throws DataFormatException {
    byte[] guest = new byte[length];
    int cluster = 1 << clusterBits;
    for (int at = 0; at < length; at += cluster) {
      byte[] content = cluster(at);
      System.arraycopy(content, 0, guest, at, Math.min(content.length, length - at));
    }
    return guest;
  }

  private byte[] cluster(int guestOffset) throws DataFormatException {
    int cluster = 1 << clusterBits;
    int index = guestOffset >> clusterBits;
    int perTable = cluster / Long.BYTES;
    long l1 = image.getLong(40) + (long) index / perTable * Long.BYTES;
    long table = image.getLong(Math.toIntExact(l1)) & OFFSET_MASK;
    if (table == 0) {
      return new byte[cluster];
    }
    long entry = image.getLong(Math.toIntExact(table + (long) index % perTable * Long.BYTES));
    if ((entry & COMPRESSED) != 0) {
      return inflated(entry);
    }
    byte[] content = new byte[cluster];
    long host = entry & OFFSET_MASK;
    if (host != 0 && (version < 3 || (entry & 1) == 0)) {
      image.get(Math.toIntExact(host), content);
    }
    return content;
  }

  private byte[] inflated(long entry) throws DataFormatException {
    int x = 62 - (clusterBits - 8);
    int host = Math.toIntExact(entry & ((1L << x) - 1));
    long sectors = ((entry & (COMPRESSED - 1)) >>> x) + 1;
    int most = (int) Math.min(sectors * 512 - (host & 511), image.limit() - host);
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(image.slice(host, most));
      byte[] content = new byte[1 << clusterBits];
      int done = 0;
      while (done < content.length) {
        int count = inflater.inflate(content, done, content.length - done);
        if (count == 0) {
          throw new DataFormatException("the compressed data is shorter than a cluster");
        }
        done += count;
      }
      return content;
    }
  }

  @Override
  public String toString() {
    return "qcow2 of " + size + " bytes";
  }
}
