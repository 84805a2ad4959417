package dev.pvcpopulators.diskimage.archive;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;

/// The entries of a tar stream as read by [TarReader], for a search by name. A leading `/` in a
/// name is ignored; a name with `..` is refused.
///
/// For one thread; [#close] may be called from any thread, as far as the source allows that.
public final class TarEntries implements Closeable {
  private final TarReader reader;

  /// Creates a reader.
  ///
  /// @param tar not compressed; owned from now on
  public TarEntries(InputStream tar) {
    reader = new TarReader(tar);
  }

  /// Returns the next entry, after skipping the rest of the current one; empty at the end.
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

  /// Reads data of the current entry, holes as zeros; returns -1 at its end.
  public int read(byte[] target, int offset, int length) throws IOException {
    return reader.read(target, offset, length);
  }

  /// Returns the offset of the current entry's data in the archive, in bytes; empty for a sparse
  /// entry, because its stored bytes differ from those that [#read] returns.
  public OptionalLong dataOffset() {
    return reader.dataOffset();
  }

  /// Returns how many bytes of the archive, not only of the current entry, can be read without
  /// blocking.
  public int available() throws IOException {
    return reader.available();
  }

  /// Reads the bytes after the end of the archive, which verifies that the source is complete.
  public void drain() throws IOException {
    reader.drain();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
