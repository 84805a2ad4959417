package dev.pvcpopulators.diskimage.archive;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// The entries of a tar stream as [TarReader] reads them, for a search by name. A `/` in front of a
/// name means nothing; a name with `..` is refused.
///
/// For one thread; [#close] may come from any, as far as the source allows that.
public final class TarEntries implements Closeable {
  private final TarReader reader;

  /// @param tar not compressed; owned from now on
  public TarEntries(InputStream tar) {
    reader = new TarReader(tar);
  }

  /// Returns the next entry, after skipping the rest of the current one; empty behind the last.
  public Optional<TarEntry> next() throws IOException {
    Optional<TarMember> member = reader.next();
    return member.isEmpty() ? Optional.empty() : Optional.of(entry(member.get()));
  }

  private static TarEntry entry(TarMember member) throws IOException {
    TarEntry.Kind kind =
        switch (member.type()) {
          case FILE -> TarEntry.Kind.FILE;
          case DIRECTORY -> TarEntry.Kind.DIRECTORY;
          case SYMBOLIC_LINK -> TarEntry.Kind.SYMBOLIC_LINK;
          case HARD_LINK -> TarEntry.Kind.HARD_LINK;
          case CHARACTER_DEVICE, BLOCK_DEVICE, FIFO, OTHER -> TarEntry.Kind.SPECIAL;
        };
    return new TarEntry(
        EntryName.parseRooted(member.name().toString()).components(),
        kind,
        member.linkName().toString(),
        member.length());
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
