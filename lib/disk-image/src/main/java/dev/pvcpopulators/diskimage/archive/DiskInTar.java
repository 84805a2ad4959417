package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The only disk in a tar archive, for example `disk.raw` in a `.tar.gz` of a cloud provider, the
/// VMDK in an OVA, or the image in a Vagrant box.
///
/// Because the archive is read in one pass, a second disk is found only after the first has been
/// read. If there is a second disk, the last read therefore throws an [UnsupportedFeatureException]
/// instead of returning -1. The caller must not publish anything before a read has returned -1. A
/// result of -1 also means that the source was read to its end.
///
/// Each regular file that is not a [CompanionFile] counts as a disk.
public final class DiskInTar extends BulkInputStream {
  private static final int MOST_NAMES = 10;

  private final TarReader reader;
  private final String name;
  private final long length;
  private boolean ended;

  private DiskInTar(TarReader reader, TarMember member) {
    this.reader = reader;
    name = member.quoted();
    length = member.length();
  }

  /// Reads the archive up to the first file that counts as a disk.
  ///
  /// @param tar not compressed; owned by the result, closed on failure
  /// @throws UnsupportedFeatureException if there is no such file
  public static DiskInTar open(InputStream tar) throws IOException {
    TarReader reader = new TarReader(tar);
    try {
      TarMember first =
          nextFile(reader)
              .orElseThrow(() ->
                  new UnsupportedFeatureException(
                      "The tar archive has no regular file to be the disk"));
      return new DiskInTar(reader, first);
    } catch (Throwable e) {
      try (reader) {
        throw e;
      }
    }
  }

  /// Returns the entry's name in quotes for messages, at most 100 code points; each character that
  /// could affect a log or a terminal becomes `?`.
  public String name() {
    return name;
  }

  /// Returns the length of the disk in bytes, holes included, as given in the entry's headers.
  public long length() {
    return length;
  }

  @Override
  public int read(byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (ended) {
      return -1;
    }
    int given = reader.read(target, offset, count);
    if (given < 0) {
      requireNoOther();
      reader.drain();
      ended = true;
    }
    return given;
  }

  @Override
  public int available() throws IOException {
    return ended ? 0 : reader.available();
  }

  private void requireNoOther() throws IOException {
    List<String> names = new ArrayList<>();
    names.add(name);
    Optional<TarMember> other = nextFile(reader);
    while (other.isPresent() && names.size() < MOST_NAMES) {
      names.add(other.get().quoted());
      other = nextFile(reader);
    }
    if (names.size() > 1) {
      throw new UnsupportedFeatureException(
          "The tar archive must have one regular file, the disk; it has "
              + String.join(", ", names)
              + (other.isEmpty() ? "" : " and more"));
    }
  }

  private static Optional<TarMember> nextFile(TarReader reader) throws IOException {
    Optional<TarMember> member = reader.next();
    while (member.isPresent() && !disk(member.get())) {
      member = reader.next();
    }
    return member;
  }

  private static boolean disk(TarMember member) {
    return member.type() == TarMember.Type.FILE
        && !CompanionFile.matches(member.name().toString(), member.length());
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
