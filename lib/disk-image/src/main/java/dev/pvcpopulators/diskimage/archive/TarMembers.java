package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarConstants;

/// The entries of a tar stream (POSIX pax, GNU, also without a magic number) with all that they
/// say, for whoever builds a file system of them.
///
/// Headers are bounded, their checksums are verified, and damage and a cut are
/// [MalformedImageException]s; what the source throws comes through unchanged. Names are given as
/// they were written: whoever uses them confines them.
///
/// For one thread; [#close] may come from any, as far as the source allows that.
public final class TarMembers implements Closeable {
  private static final int MODE_BITS = 0xfff;
  private static final long MAX_ID = 0xffff_ffffL;
  private static final byte GNU_VOLUME_HEADER = 'V';

  private final PaxHeaders pax = new PaxHeaders();
  private final TarReader reader;

  /// @param tar not compressed; owned from now on
  public TarMembers(InputStream tar) {
    reader = TarReader.ofBytes(tar, pax);
  }

  /// The next entry, what is left of the one before being skipped; empty behind the last.
  ///
  /// @throws UnsupportedFeatureException for kinds of entries that nobody knows
  public Optional<TarMember> next() throws IOException {
    TarArchiveEntry entry = reader.next();
    while (entry != null
        && (entry.isGlobalPaxHeader() || entry.getLinkFlag() == GNU_VOLUME_HEADER)) {
      entry = reader.next();
    }
    return entry == null ? Optional.empty() : Optional.of(member(entry));
  }

  private TarMember member(TarArchiveEntry entry) throws IOException {
    ByteString name = pax.name().orElseGet(() -> new ByteString(entry.getName()));
    TarMember.Type type = type(entry, name);
    boolean link = type == TarMember.Type.SYMBOLIC_LINK || type == TarMember.Type.HARD_LINK;
    long length = length(entry, name, type);
    boolean device = type == TarMember.Type.CHARACTER_DEVICE || type == TarMember.Type.BLOCK_DEVICE;
    return new TarMember(
        name,
        link
            ? pax.linkName().orElseGet(() -> new ByteString(entry.getLinkName()))
            : ByteString.EMPTY,
        type,
        entry.getMode() & MODE_BITS,
        id(name, entry.getLongUserId()),
        id(name, entry.getLongGroupId()),
        entry.getLastModifiedTime().toInstant(),
        device ? number(name, entry.getDevMajor()) : 0,
        device ? number(name, entry.getDevMinor()) : 0,
        length,
        entry.isSparse() ? reader.dataLength() : length,
        pax.attributes(),
        pax.accessLists());
  }

  private static TarMember.Type type(TarArchiveEntry entry, ByteString name)
      throws UnsupportedFeatureException {
    return switch (entry.getLinkFlag()) {
      case TarConstants.LF_LINK -> TarMember.Type.HARD_LINK;
      case TarConstants.LF_SYMLINK -> TarMember.Type.SYMBOLIC_LINK;
      case TarConstants.LF_CHR -> TarMember.Type.CHARACTER_DEVICE;
      case TarConstants.LF_BLK -> TarMember.Type.BLOCK_DEVICE;
      case TarConstants.LF_FIFO -> TarMember.Type.FIFO;
      case TarConstants.LF_DIR -> TarMember.Type.DIRECTORY;
      case TarConstants.LF_OLDNORM,
          TarConstants.LF_NORMAL,
          TarConstants.LF_CONTIG,
          TarConstants.LF_GNUTYPE_SPARSE ->
          // Before POSIX, the slash alone told directories.
          entry.isDirectory() ? TarMember.Type.DIRECTORY : TarMember.Type.FILE;
      default ->
          throw new UnsupportedFeatureException(
              "tar entry "
                  + Quoted.of(name.toString())
                  + ": nobody knows what its type is: "
                  + entry.getLinkFlag());
    };
  }

  private static long length(TarArchiveEntry entry, ByteString name, TarMember.Type type)
      throws MalformedImageException {
    return switch (type) {
      case FILE -> {
        long length = entry.isSparse() ? entry.getRealSize() : entry.getSize();
        if (length < 0) {
          throw malformed(name, "its length is negative");
        }
        yield length;
      }
      case HARD_LINK, SYMBOLIC_LINK, CHARACTER_DEVICE, BLOCK_DEVICE, FIFO -> {
        // Some tools write the file's length and no data, some write both.
        if (entry.getSize() != 0) {
          throw malformed(name, "expected no data of what is no file, found " + entry.getSize());
        }
        yield 0;
      }
      case DIRECTORY -> {
        // The length of an entry of the type directory is no length of data (POSIX, ustar).
        if (entry.getLinkFlag() != TarConstants.LF_DIR && entry.getSize() != 0) {
          throw malformed(
              name,
              "expected no data of a file whose name ends with a slash, which is a directory, found "
                  + entry.getSize()
                  + " bytes");
        }
        yield 0;
      }
    };
  }

  /// The library has owners of headers, which have 32 bits without a sign, as an `int`.
  private static long id(ByteString name, long id) throws MalformedImageException {
    if (id < Integer.MIN_VALUE || id > MAX_ID) {
      throw malformed(name, "expected an owner of 32 bits, found " + id);
    }
    return id & MAX_ID;
  }

  private static int number(ByteString name, int number) throws MalformedImageException {
    if (number < 0) {
      throw malformed(name, "expected a device's number, found " + number);
    }
    return number;
  }

  private static MalformedImageException malformed(ByteString name, String reason) {
    return new MalformedImageException("tar entry " + Quoted.of(name.toString()), -1, reason);
  }

  /// Data of the current entry, holes as zeros; -1 at its end.
  public int read(byte[] target, int offset, int length) throws IOException {
    return reader.read(target, offset, length);
  }

  /// Bytes of the hole that comes next in the current entry; 0 where data does, or nothing.
  public long hole() {
    return reader.hole();
  }

  /// Goes on behind the hole that comes next.
  public void skipHole() throws IOException {
    reader.skipHole();
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
