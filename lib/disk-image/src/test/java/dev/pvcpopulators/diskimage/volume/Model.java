package dev.pvcpopulators.diskimage.volume;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// The expected content of a disk, in an ordinary file. Tests write the content in pieces that do
/// not overlap.
final class Model implements AutoCloseable {
  record Piece(long offset, int length, long seed) {
    /// Returns the same bytes in each call. About a third of the sectors contain only zeros.
    byte[] bytes() {
      byte[] bytes = new byte[length];
      Random random = new Random(seed);
      int at = 0;
      while (at < length) {
        int run = Math.min(length - at, 512 * (1 + random.nextInt(64)));
        if (random.nextInt(3) != 0) {
          byte[] data = new byte[run];
          random.nextBytes(data);
          System.arraycopy(data, 0, bytes, at, run);
        }
        at += run;
      }
      return bytes;
    }
  }

  private final RandomAccessFile file;
  private final Path path;

  Model(Path path, long size) throws IOException {
    this.path = path;
    this.file = new RandomAccessFile(path.toFile(), "rw");
    file.setLength(size);
  }

  Path path() {
    return path;
  }

  void put(long offset, byte[] bytes) throws IOException {
    file.seek(offset);
    file.write(bytes);
  }

  /// Appends zeros until the file has `size` bytes. A longer file does not change.
  void extend(long size) throws IOException {
    file.setLength(Math.max(size, file.length()));
  }

  /// Divides a range into pieces, leaves some pieces out, and shuffles the others. The length of a
  /// piece is at most `longest`, and a multiple of `unit` unless the piece ends at `end`.
  static List<Piece> pieces(Random random, long begin, long end, int unit, int longest) {
    List<Piece> pieces = new ArrayList<>();
    long at = begin;
    while (at < end) {
      int scale = 1 << random.nextInt(Integer.SIZE - Integer.numberOfLeadingZeros(longest / unit));
      int length = (int) Math.min(end - at, (long) unit * (1 + random.nextInt(scale)));
      if (random.nextInt(5) != 0) {
        pieces.add(new Piece(at, length, random.nextLong()));
      }
      at += length;
    }
    Collections.shuffle(pieces, random);
    return pieces;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
