package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;

/// The entries of a tar stream (POSIX pax, GNU, also without a magic number), one after the other,
/// for whoever looks for one of them.
///
/// Headers are bounded, their checksums are verified, and damage and a cut are
/// [MalformedImageException]s; what the source throws comes through unchanged. A `/` in front of a
/// name means nothing; a name with `..` is refused.
///
/// For one thread; [#close] may come from any, as far as the source allows that.
public final class TarEntries implements Closeable {
  private final TarReader reader;

  /// @param tar not compressed; owned from now on
  public TarEntries(InputStream tar) {
    reader = new TarReader(tar);
  }

  /// The next entry, what is left of the one before being skipped; empty behind the last.
  public Optional<TarEntry> next() throws IOException {
    TarArchiveEntry entry = reader.next();
    while (entry != null && entry.isGlobalPaxHeader()) {
      entry = reader.next();
    }
    return entry == null ? Optional.empty() : Optional.of(entry(entry));
  }

  private static TarEntry entry(TarArchiveEntry entry) throws IOException {
    TarEntry.Kind kind = kind(entry);
    String linkText =
        switch (kind) {
          case SYMBOLIC_LINK, HARD_LINK -> entry.getLinkName();
          case FILE, DIRECTORY, SPECIAL -> "";
        };
    long length =
        switch (kind) {
          case FILE -> entry.isSparse() ? entry.getRealSize() : entry.getSize();
          case SYMBOLIC_LINK, HARD_LINK, DIRECTORY, SPECIAL -> 0;
        };
    if (length < 0) {
      throw new MalformedImageException(
          "tar entry " + Quoted.of(entry.getName()), -1, "its length is negative");
    }
    return new TarEntry(
        EntryName.parseRooted(entry.getName()).components(), kind, linkText, length);
  }

  private static TarEntry.Kind kind(TarArchiveEntry entry) {
    if (entry.isDirectory()) {
      return TarEntry.Kind.DIRECTORY;
    }
    if (entry.isSymbolicLink()) {
      return TarEntry.Kind.SYMBOLIC_LINK;
    }
    if (entry.isLink()) {
      return TarEntry.Kind.HARD_LINK;
    }
    return TarReader.regularFile(entry) ? TarEntry.Kind.FILE : TarEntry.Kind.SPECIAL;
  }

  /// Data of the current entry, holes as zeros; -1 at its end.
  public int read(byte[] target, int offset, int length) throws IOException {
    return reader.read(target, offset, length);
  }

  /// Where the current entry's data begins in the archive, in bytes; empty where it is not stored
  /// as [#read] gives it, because it is sparse.
  public OptionalLong dataOffset() {
    return reader.dataOffset();
  }

  /// Bytes of the archive, not only of the current entry, that can be read without waiting.
  public int available() throws IOException {
    return reader.available();
  }

  /// Reads what stands behind the end of the archive, so that the source is known to be whole.
  public void drain() throws IOException {
    reader.drain();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
