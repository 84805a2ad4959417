package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A tar on its way to the library: its offset, its own failure, a budget for headers, and the
/// headers' bytes for whoever wants them.
final class TarSource extends InputStream {
  private static final int BLOCK_LENGTH = 512;
  private static final int SKIP_LENGTH = 64 << 10;
  private static final int FIRST_HEADERS_LENGTH = 8 * BLOCK_LENGTH;
  private static final int TYPE_OFFSET = 156;

  /// How many headers may come before that of an entry itself. The library goes one call deeper
  /// with each.
  private static final int MOST_EXTENSIONS = 64;

  private final InputStream upstream;
  private final boolean keepsHeaders;
  private long offset;
  private long budget = Long.MAX_VALUE;
  private long dataEnd = -1;
  private int extensions;
  private boolean inHeaders;
  private boolean ended;
  private boolean whole;
  private @Nullable IOException failure;
  private byte @Nullable [] skipped;

  // Of the entry that is being looked for, from the first block on that does not belong to the one
  // before.
  private byte[] headers = new byte[FIRST_HEADERS_LENGTH];
  private long headersOffset = Long.MAX_VALUE;
  private int headersLength;

  /// @param upstream owned from now on
  /// @param keepsHeaders whether [#headers] is wanted
  TarSource(InputStream upstream, boolean keepsHeaders) {
    this.upstream = upstream;
    this.keepsHeaders = keepsHeaders;
  }

  /// Bytes that were read.
  long offset() {
    return offset;
  }

  /// What the source itself threw.
  @Nullable IOException failure() {
    return failure;
  }

  /// What is read from now on counts against [ArchiveLimits#HEADERS_LENGTH].
  void beginHeaders() {
    dataEnd = offset;
    budget = ArchiveLimits.HEADERS_LENGTH;
    inHeaders = true;
    extensions = 0;
    ended = false;
    whole = true;
    headersLength = 0;
    headersOffset =
        keepsHeaders ? Math.ceilDiv(offset, BLOCK_LENGTH) * BLOCK_LENGTH : Long.MAX_VALUE;
  }

  /// What is read from now on is an entry's data.
  ///
  /// @param wholeReads whether a read gives less than was asked for only at the end of the source:
  ///   in a sparse file the library takes less for the end of a piece
  void beginData(boolean wholeReads) {
    budget = Long.MAX_VALUE;
    inHeaders = false;
    whole = wholeReads;
    headersOffset = Long.MAX_VALUE;
  }

  /// The headers of the entry that was found, from the beginning to [#headersLength].
  byte[] headers() {
    return headers;
  }

  int headersLength() {
    return headersLength;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int start, int length) throws IOException {
    int count = readWhole(target, start, length);
    if (inHeaders && !ended && count < length && !zeros(target, start, count)) {
      // The library would take the beginning of a header for the end of the archive. That of a
      // block of zeros may be the end: some archives have none at all.
      throw new MalformedImageException(
          "tar header", offset, "expected more data, found the end of the source");
    }
    // The library reads on, to the end of a record. The bytes after a block of zeros are not part
    // of the archive: GNU tar and Docker ignore them.
    ended |= inHeaders && count == BLOCK_LENGTH && zeros(target, start, count);
    if (inHeaders && count == BLOCK_LENGTH && extension(target[start + TYPE_OFFSET])) {
      extensions++;
      if (extensions > MOST_EXTENSIONS) {
        throw new MalformedImageException(
            "tar header", offset, "more than " + MOST_EXTENSIONS + " headers for one entry");
      }
    }
    return count;
  }

  private int readWhole(byte[] target, int start, int length) throws IOException {
    int count = readOnce(target, start, length);
    while (whole && count > 0 && count < length) {
      int more = readOnce(target, start + count, length - count);
      if (more < 0) {
        return count;
      }
      count += more;
    }
    return count;
  }

  private static boolean zeros(byte[] target, int start, int count) {
    for (int i = 0; i < count; i++) {
      if (target[start + i] != 0) {
        return false;
      }
    }
    return true;
  }

  /// Whether a block, if it is a header, is one of an extended header or a long name.
  private static boolean extension(byte type) {
    return switch (type) {
      case 'x', 'X', 'g', 'L', 'K' -> true;
      default -> false;
    };
  }

  private int readOnce(byte[] target, int start, int length) throws IOException {
    if (length > 0 && budget == 0) {
      throw new MalformedImageException(
          "tar header",
          offset,
          "the headers of one entry are longer than " + ArchiveLimits.HEADERS_LENGTH + " bytes");
    }
    try {
      int count = upstream.read(target, start, (int) Math.min(length, budget));
      if (count > 0) {
        offset += count;
        budget -= count;
        if (offset > headersOffset) {
          keep(target, start, count);
        }
      }
      return count < 0 ? missingPadding(target, start, length) : count;
    } catch (IOException e) {
      failure = e;
      throw e;
    }
  }

  private void keep(byte[] target, int start, int count) {
    int fresh = (int) Math.min(count, offset - headersOffset);
    if (headersLength + fresh > headers.length) {
      headers = Arrays.copyOf(headers, Math.max(headersLength + fresh, 2 * headers.length));
    }
    System.arraycopy(target, start + count - fresh, headers, headersLength, fresh);
    headersLength += fresh;
  }

  /// Completes the last block where the source ends with the last byte of a file's data: umoci
  /// writes layers so, and Go's reader takes them.
  private int missingPadding(byte[] target, int start, int length) {
    int used = (int) (offset % BLOCK_LENGTH);
    if (offset != dataEnd || used == 0) {
      return -1;
    }
    int count = Math.min(length, BLOCK_LENGTH - used);
    Arrays.fill(target, start, start + count, (byte) 0);
    offset += count;
    dataEnd = offset;
    return count;
  }

  /// Skips all of it, unless the end comes first: the library relies on that.
  @Override
  public long skip(long count) throws IOException {
    if (skipped == null) {
      skipped = new byte[SKIP_LENGTH];
    }
    long done = 0;
    while (done < count) {
      int read = readOnce(skipped, 0, (int) Math.min(skipped.length, count - done));
      if (read < 0) {
        break;
      }
      done += read;
    }
    return done;
  }

  /// Bytes that the source has at hand. Not [#available], which the library would take for what is
  /// left.
  int atHand() throws IOException {
    return upstream.available();
  }

  @Override
  public void close() throws IOException {
    upstream.close();
  }
}
