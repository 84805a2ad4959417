package dev.pvcpopulators.diskimage.archive;

import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveStructSparse;

/// Which parts of a sparse file are data and which are holes (GNU tar manual, "Sparse Formats"),
/// and how far its reader has come.
final class SparseMap {
  private final List<TarArchiveStructSparse> data;
  private final long length;
  private long position;
  private int index;

  private SparseMap(List<TarArchiveStructSparse> data, long length) {
    this.data = data;
    this.length = length;
  }

  /// @throws MalformedImageException where data is said to lie behind the file's end
  static SparseMap of(TarArchiveEntry entry) throws IOException {
    List<TarArchiveStructSparse> data =
        entry.getOrderedSparseHeaders().stream().filter(part -> part.getNumbytes() > 0).toList();
    long length = entry.getRealSize();
    if (!data.isEmpty()) {
      TarArchiveStructSparse last = data.getLast();
      if (last.getOffset() > length || last.getNumbytes() > length - last.getOffset()) {
        throw new MalformedImageException(
            "tar sparse map", -1, "data lies behind the end of the file of " + length + " bytes");
      }
    }
    return new SparseMap(data, length);
  }

  /// Bytes that lie in no hole.
  long dataLength() {
    long sum = 0;
    for (TarArchiveStructSparse part : data) {
      // Cannot overflow: the parts lie one behind the other within the file.
      sum += part.getNumbytes();
    }
    return sum;
  }

  /// Bytes of the hole at the position; 0 in data and at the end.
  long hole() {
    return index < data.size() ? Math.max(data.get(index).getOffset() - position, 0) : left();
  }

  /// Bytes up to where data and holes change, or to the end.
  long run() {
    long hole = hole();
    if (hole > 0 || index == data.size()) {
      return hole;
    }
    TarArchiveStructSparse part = data.get(index);
    return part.getOffset() + part.getNumbytes() - position;
  }

  /// Whether no data follows.
  boolean last() {
    return index == data.size();
  }

  private long left() {
    return length - position;
  }

  /// Goes on, at most by [#run].
  void advance(long count) {
    position += count;
    if (index < data.size()) {
      TarArchiveStructSparse part = data.get(index);
      if (position >= part.getOffset() + part.getNumbytes()) {
        index++;
      }
    }
  }
}
