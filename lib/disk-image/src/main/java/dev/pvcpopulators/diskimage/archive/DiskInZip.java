package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/// The only disk in a ZIP archive (PKWARE APPNOTE 6.3). The archive is read in one pass: this class
/// uses the local headers, and not the central directory.
///
/// Because the archive is read in one pass, a second disk is found only after the first has been
/// read. If there is a second disk, the last read therefore throws an [UnsupportedFeatureException]
/// instead of returning -1. A result of -1 also means that the CRC of each file was right, that the
/// source was read to its end, and that the end record gives the right number of entries. If the
/// end record refers to a ZIP64 record, the number of entries is not checked. Directories and
/// [CompanionFile]s do not count as disks.
///
/// The following are refused: encryption, compression methods other than stored and deflated, and
/// stored files whose length does not precede their data.
public final class DiskInZip extends BulkInputStream {
  private static final String STRUCTURE = "ZIP archive";
  private static final int MOST_ENTRIES = 10_000;
  private static final int SKIP_LENGTH = 64 << 10;

  private final ZipTail source;
  private final ZipInputStream zip;
  private final String name;
  private final OptionalLong length;
  private int entries;
  private boolean ended;

  private DiskInZip(ZipTail source) throws IOException {
    this.source = source;
    // The JDK decodes a name as UTF-8 if the entry's UTF-8 flag is set, otherwise as ISO 8859-1,
    // which accepts every byte.
    zip = new ZipInputStream(source, ISO_8859_1);
    try {
      ZipEntry first = nextDisk();
      if (first == null) {
        source.requireDirectory(entries);
        throw new UnsupportedFeatureException("The ZIP archive has no regular file to be the disk");
      }
      name = Quoted.of(first.getName());
      length = first.getSize() < 0 ? OptionalLong.empty() : OptionalLong.of(first.getSize());
    } catch (IOException | RuntimeException e) {
      throw sorted(e);
    }
  }

  /// Reads the archive up to the first file that counts as a disk.
  ///
  /// @param zip owned by the result, closed on failure
  /// @throws UnsupportedFeatureException if there is no such file
  public static DiskInZip open(InputStream zip) throws IOException {
    try {
      return new DiskInZip(new ZipTail(zip));
    } catch (Throwable e) {
      try (zip) {
        throw e;
      }
    }
  }

  /// Returns the length of the disk in bytes; empty if the archive stores the length after the
  /// data.
  public OptionalLong length() {
    return length;
  }

  @Override
  public int read(byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (ended) {
      return -1;
    }
    try {
      int given = zip.read(target, offset, count);
      if (given < 0) {
        requireNoOther();
        source.requireDirectory(entries);
        ended = true;
      }
      return given;
    } catch (IOException | RuntimeException e) {
      throw sorted(e);
    }
  }

  private void requireNoOther() throws IOException {
    ZipEntry other = nextDisk();
    if (other != null) {
      throw new UnsupportedFeatureException(
          "The ZIP archive must have one disk; it has %s and %s"
              .formatted(name, Quoted.of(other.getName())));
    }
  }

  private @Nullable ZipEntry nextDisk() throws IOException {
    ZipEntry entry = zip.getNextEntry();
    while (entry != null) {
      entries++;
      if (entries > MOST_ENTRIES) {
        throw new UnsupportedFeatureException(
            "The ZIP archive has more than " + MOST_ENTRIES + " entries");
      }
      if (!entry.isDirectory() && !CompanionFile.matches(entry.getName(), entry.getSize())) {
        return entry;
      }
      passOver(entry);
      entry = zip.getNextEntry();
    }
    return null;
  }

  private void passOver(ZipEntry entry) throws IOException {
    byte[] skipped = new byte[SKIP_LENGTH];
    long passed = 0;
    for (int count = 0; count >= 0; count = zip.read(skipped, 0, skipped.length)) {
      passed += count;
      if (passed > CompanionFile.MAX_LENGTH) {
        throw new UnsupportedFeatureException(
            "The ZIP archive must have one disk; "
                + Quoted.of(entry.getName())
                + " is too long for a file beside the disk");
      }
    }
  }

  private IOException sorted(Exception e) {
    @Nullable IOException ofSource = source.failure();
    if (ofSource != null) {
      return ofSource;
    }
    return e instanceof ZipException zipped && notRead(zipped)
        ? unsupported(zipped)
        : MalformedImageException.of(STRUCTURE, source.offset(), e);
  }

  private static boolean notRead(ZipException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("encrypted")
        || message.contains("compression method")
        || message.contains("EXT descriptor");
  }

  private static IOException unsupported(ZipException e) {
    return new UnsupportedFeatureException(
        "The ZIP archive is of a kind that is not read (%s); write it with: zip disk.zip disk.raw"
            .formatted(e.getMessage()),
        e);
  }

  @Override
  public void close() throws IOException {
    zip.close();
  }
}
