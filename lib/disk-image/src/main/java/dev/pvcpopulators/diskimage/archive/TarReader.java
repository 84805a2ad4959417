package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
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

  private static final String LONGER_THAN_INT = "Unable to parse int from string value";
  private static final String NOT_OCTAL = "Invalid byte -128 at offset 0";

  private final TarSource source;
  private final TarArchiveInputStream tar;
  private final @Nullable PaxHeaders pax;
  private @Nullable TarArchiveEntry entry;
  private @Nullable SparseMap sparse;
  private long dataOffset;

  /// Takes names for UTF-8.
  TarReader(InputStream source) {
    this(source, StandardCharsets.UTF_8, null);
  }

  private TarReader(InputStream source, Charset names, @Nullable PaxHeaders pax) {
    this.source = new TarSource(source, pax != null);
    this.pax = pax;
    tar =
        new TarArchiveInputStream(
            this.source, BLOCK_LENGTH * BLOCKS_IN_RECORD, BLOCK_LENGTH, names.name());
  }

  /// Takes names for bytes.
  ///
  /// @param pax is told the headers of each entry; what it says goes before what the entry says,
  ///   whose names have one character for each byte
  static TarReader ofBytes(InputStream source, PaxHeaders pax) {
    return new TarReader(source, StandardCharsets.ISO_8859_1, pax);
  }

  /// The next entry, what is left of the one before being skipped; null behind the last.
  ///
  /// Holes are skipped without being read: a sparse file may claim to be as long as it likes.
  @Nullable TarArchiveEntry next() throws IOException {
    try {
      while (entry != null && tar.skip(Long.MAX_VALUE) > 0) {
        // Skipped by the loop's condition.
      }
      source.beginHeaders();
      entry = tar.getNextEntry();
      dataOffset = source.offset();
      if (pax != null && entry != null) {
        pax.read(source.headers(), source.headersLength());
      }
      sparse = entry != null && entry.isSparse() ? SparseMap.of(entry) : null;
    } catch (IOException | RuntimeException e) {
      throw sorted(e);
    } finally {
      source.beginData(sparse != null);
    }
    if (entry != null && !entry.isCheckSumOK()) {
      throw new MalformedImageException(
          "tar header", source.offset() - BLOCK_LENGTH, "its checksum is wrong");
    }
    return entry;
  }

  /// Data of the current entry, holes as zeros; -1 at its end.
  int read(byte[] target, int offset, int length) throws IOException {
    try {
      return sparse == null || length == 0
          ? tar.read(target, offset, length)
          : readPiece(sparse, target, offset, length);
    } catch (IOException | RuntimeException e) {
      throw sorted(e);
    }
  }

  /// The library would go through as many pieces as the target has room for, one call inside the
  /// other.
  private int readPiece(SparseMap map, byte[] target, int offset, int length) throws IOException {
    int count = (int) Math.min(length, map.run());
    if (count == 0) {
      return -1;
    }
    if (map.hole() > 0) {
      passOver(map, count);
      Arrays.fill(target, offset, offset + count, (byte) 0);
    } else if (tar.read(target, offset, count) < count) {
      throw new EOFException("less data than the sparse map says");
    }
    map.advance(count);
    return count;
  }

  /// Bytes of the hole that comes next; 0 where data does, or nothing.
  long hole() {
    return sparse == null ? 0 : sparse.hole();
  }

  /// Bytes of a sparse entry that lie in no hole; 0 of others.
  long dataLength() {
    return sparse == null ? 0 : sparse.dataLength();
  }

  /// Goes on behind the hole that comes next.
  void skipHole() throws IOException {
    if (sparse == null) {
      return;
    }
    try {
      long hole = sparse.hole();
      passOver(sparse, hole);
      sparse.advance(hole);
    } catch (IOException | RuntimeException e) {
      throw sorted(e);
    }
  }

  private void passOver(SparseMap map, long count) throws IOException {
    // The library need not know of the hole behind the last data: only the map's length tells.
    long left = map.last() ? 0 : count;
    while (left > 0) {
      long skipped = tar.skip(left);
      if (skipped <= 0) {
        throw new EOFException("less data than the sparse map says");
      }
      left -= skipped;
    }
  }

  /// Where the current entry's data begins in the archive; empty where it is sparse and so not
  /// stored as it reads.
  OptionalLong dataOffset() {
    return entry == null || entry.isSparse() ? OptionalLong.empty() : OptionalLong.of(dataOffset);
  }

  /// Bytes of the archive that the source has at hand; the entry's own may be fewer.
  int available() throws IOException {
    return source.atHand();
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
    @Nullable IOException ofSource = source.failure();
    if (ofSource != null) {
      return ofSource;
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
    return new MalformedImageException(STRUCTURE, source.offset(), reason, e);
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
}
