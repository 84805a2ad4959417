package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.ForwardingInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// The stream from which [java.util.zip.ZipInputStream] reads a ZIP archive. This stream keeps the
/// last bytes that were read.
///
/// `ZipInputStream.getNextEntry` returns null if no complete local header follows: at the central
/// directory, but also at the end of a truncated source. Therefore this class looks for the last
/// record of a complete archive, the "end of central directory record", little-endian (APPNOTE
/// 4.3.16):
///
/// | Offset | Size | Field                                     |
/// |-------:|-----:|-------------------------------------------|
/// |      0 |    4 | signature 0x06054b50                      |
/// |     10 |    2 | entries; 0xffff: see the ZIP64 record     |
/// |     20 |    2 | length of the comment after the record    |
final class ZipTail extends ForwardingInputStream {
  private static final int RECORD_LENGTH = 22;
  private static final int SIGNATURE = 0x06054b50;
  private static final int ENTRIES = 10;
  private static final int COMMENT_LENGTH = 20;
  private static final int MANY = 0xffff;
  private static final int MOST = RECORD_LENGTH + 0xffff;

  private final byte[] ring = new byte[MOST];
  private long offset;
  private @Nullable IOException failure;

  /// Creates a stream.
  ///
  /// @param upstream owned by this stream from now on
  ZipTail(InputStream upstream) {
    super(upstream);
  }

  /// Returns the number of bytes that were read.
  long offset() {
    return offset;
  }

  /// Returns the exception that the source threw, or null.
  @Nullable IOException failure() {
    return failure;
  }

  @Override
  public int read(byte[] target, int start, int length) throws IOException {
    try {
      int count = in.read(target, start, length);
      if (count > 0) {
        keep(target, start, count);
        offset += count;
      }
      return count;
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private void keep(byte[] source, int start, int count) {
    int kept = Math.min(count, MOST);
    long from = offset + count - kept;
    for (int done = 0; done < kept; ) {
      int at = (int) ((from + done) % MOST);
      int piece = Math.min(kept - done, MOST - at);
      System.arraycopy(source, start + count - kept + done, ring, at, piece);
      done += piece;
    }
  }

  /// Reads the source to its end, and checks the "end of central directory record".
  ///
  /// @param entries number of entries that the record must give
  /// @throws MalformedImageException if the record is missing or gives another number of entries;
  ///   0xffff is accepted, because the ZIP64 record is not read
  void requireDirectory(int entries) throws IOException {
    // Each read keeps the last bytes; no other bytes are needed.
    transferTo(OutputStream.nullOutputStream());
    ByteBuffer tail = tail();
    for (int at = tail.limit() - RECORD_LENGTH; at >= 0; at--) {
      boolean record =
          tail.getInt(at) == SIGNATURE
              && Short.toUnsignedInt(tail.getShort(at + COMMENT_LENGTH))
                  == tail.limit() - at - RECORD_LENGTH;
      if (record) {
        int said = Short.toUnsignedInt(tail.getShort(at + ENTRIES));
        if (said != entries && said != MANY) {
          throw new MalformedImageException(
              "ZIP directory", -1, "expected " + entries + " entries, found " + said);
        }
        return;
      }
    }
    throw new MalformedImageException(
        "ZIP archive", offset, "expected its directory, found the end of the source");
  }

  private ByteBuffer tail() {
    int length = (int) Math.min(offset, MOST);
    ByteBuffer tail = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < length; i++) {
      tail.put(i, ring[(int) ((offset - length + i) % MOST)]);
    }
    return tail;
  }
}
