package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalLong;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/// The entries of a tar stream (POSIX pax, GNU), with what the library leaves open closed: headers
/// are bounded, damage and a cut are [MalformedImageException], and what the source throws comes
/// through unchanged.
///
/// The library keeps long names, extended headers and sparse maps in memory whatever their length.
/// Here everything that it reads in search of the next entry counts against
/// [ArchiveLimits#HEADERS_LENGTH]; the data of the entry before was read to its end then.
final class TarReader implements AutoCloseable {
  private static final String STRUCTURE = "tar archive";
  private static final int BLOCK_LENGTH = 512;
  private static final int BLOCKS_IN_RECORD = 20;
  private static final int SKIP_LENGTH = 64 << 10;

  private static final String LONGER_THAN_INT = "Unable to parse int from string value";
  private static final String NOT_OCTAL = "Invalid byte -128 at offset 0";

  private final CountedSource source;
  private final TarArchiveInputStream tar;
  private @Nullable TarArchiveEntry entry;
  private long dataOffset;

  TarReader(InputStream source) {
    this.source = new CountedSource(source);
    tar =
        new TarArchiveInputStream(
            this.source,
            BLOCK_LENGTH * BLOCKS_IN_RECORD,
            BLOCK_LENGTH,
            StandardCharsets.UTF_8.name());
  }

  /// The next entry, what is left of the one before being skipped; null behind the last.
  ///
  /// Holes are skipped without being read: a sparse file may claim to be as long as it likes.
  @Nullable TarArchiveEntry next() throws IOException {
    try {
      while (entry != null && tar.skip(Long.MAX_VALUE) > 0) {
        // Skipped by the loop's condition.
      }
      source.dataEnd = source.offset;
      source.budget = ArchiveLimits.HEADERS_LENGTH;
      entry = tar.getNextEntry();
      dataOffset = source.offset;
    } catch (IOException | RuntimeException e) {
      throw sorted(e);
    } finally {
      source.budget = Long.MAX_VALUE;
    }
    if (entry != null && !entry.isCheckSumOK()) {
      throw new MalformedImageException(
          "tar header", source.offset - BLOCK_LENGTH, "its checksum is wrong");
    }
    return entry;
  }

  /// Data of the current entry, holes as zeros; -1 at its end.
  int read(byte[] target, int offset, int length) throws IOException {
    try {
      return tar.read(target, offset, length);
    } catch (IOException | RuntimeException e) {
      throw sorted(e);
    }
  }

  /// Where the current entry's data begins in the archive; empty where it is sparse and so not
  /// stored as it reads.
  OptionalLong dataOffset() {
    return entry == null || entry.isSparse() ? OptionalLong.empty() : OptionalLong.of(dataOffset);
  }

  /// Bytes of the archive that the source has at hand; the entry's own may be fewer.
  int available() throws IOException {
    return source.upstream.available();
  }

  /// Reads what stands behind the end of the archive, so that the source is known to be whole.
  void drain() throws IOException {
    while (source.skip(Long.MAX_VALUE) > 0) {
      // Only its end and its checksums matter.
    }
  }

  /// Whether the entry's type says so; the library's own question also accepts special files.
  static boolean regularFile(TarArchiveEntry entry) {
    return switch (entry.getLinkFlag()) {
      case TarConstants.LF_OLDNORM,
          TarConstants.LF_NORMAL,
          TarConstants.LF_CONTIG,
          TarConstants.LF_GNUTYPE_SPARSE ->
          true;
      default -> false;
    };
  }

  private IOException sorted(Exception e) {
    if (source.failure != null) {
      return source.failure;
    }
    if (e instanceof MalformedImageException malformed) {
      return malformed;
    }
    if (sparseBeyondTheLibrary(e)) {
      IOException unsupported =
          new UnsupportedFeatureException(
              "The tar archive has a sparse file that is too long to be read: pax ones may have less"
                  + " than 2 GiB, GNU ones less than 8 GiB; write it with tar without --sparse");
      unsupported.initCause(e);
      return unsupported;
    }
    String reason =
        e instanceof EOFException || String.valueOf(e.getMessage()).contains("Truncated")
            ? "expected more data, found the end of the source"
            : Objects.requireNonNullElse(e.getMessage(), "damaged");
    return new MalformedImageException(STRUCTURE, source.offset, reason, e);
  }

  /// The library takes the real size of a sparse file for an int (pax) or an octal number (GNU,
  /// whose header has it in base 256 from 8 GiB on).
  private static boolean sparseBeyondTheLibrary(Exception e) {
    @Nullable Throwable cause = e.getCause();
    return String.valueOf(e.getMessage()).startsWith(LONGER_THAN_INT)
        || (cause != null && String.valueOf(cause.getMessage()).startsWith(NOT_OCTAL));
  }

  @Override
  public void close() throws IOException {
    tar.close();
  }

  /// The source with its offset, its own failure, and a budget for headers.
  private static final class CountedSource extends InputStream {
    private final InputStream upstream;
    private long offset;
    private long budget = Long.MAX_VALUE;
    private long dataEnd = -1;
    private @Nullable IOException failure;
    private byte @Nullable [] skipped;

    CountedSource(InputStream upstream) {
      this.upstream = upstream;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int start, int length) throws IOException {
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
        }
        return count < 0 ? missingPadding(target, start, length) : count;
      } catch (IOException e) {
        failure = e;
        throw e;
      }
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
        int read = read(skipped, 0, (int) Math.min(skipped.length, count - done));
        if (read < 0) {
          break;
        }
        done += read;
      }
      return done;
    }

    @Override
    public void close() throws IOException {
      upstream.close();
    }
  }
}
