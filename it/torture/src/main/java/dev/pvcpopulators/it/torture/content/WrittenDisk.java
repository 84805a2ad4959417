package dev.pvcpopulators.it.torture.content;

import dev.pvcpopulators.it.torture.outcome.BrokenInvariant;
import java.util.Arrays;
import java.util.Random;
import java.util.SplittableRandom;

/// The expected content of a LUN: an image with the blocks that an initiator wrote and flushed. If
/// a block was written but not flushed before a failure, the block may have the old or the new
/// content.
public final class WrittenDisk {
  private static final int BLOCK = 4096;
  private static final int MOST_BLOCKS = 16;

  private final byte[] image;
  private final byte[] flushed;

  /// The data written since the last flush. Only the blocks that are marked in [#doubtful] have
  /// unflushed data.
  private final byte[] written;

  private final boolean[] doubtful;

  /// A write of whole blocks, filled with one byte.
  ///
  /// @param offset the offset in bytes
  /// @param length the length in bytes
  /// @param pattern the value of each byte, from 1 to 255
  public record Write(int offset, int length, int pattern) {
    public String command() {
      return "write -q -P " + pattern + " " + offset + " " + length;
    }
  }

  /// Creates the expected content of a LUN to which nothing has been written yet.
  ///
  /// @param image the content of the image; the length is a multiple of 4,096 bytes
  public WrittenDisk(byte[] image) {
    this.image = image.clone();
    this.flushed = image.clone();
    this.written = new byte[image.length];
    this.doubtful = new boolean[image.length / BLOCK];
  }

  /// Returns an image with zeros, repeated bytes, and incompressible data.
  ///
  /// @param length the length in bytes, a multiple of 64 KiB
  public static byte[] image(int length, Random random) {
    byte[] bytes = new byte[length];
    byte[] noise = new byte[1 << 16];
    for (int at = 0; at < length; at += noise.length) {
      int kind = random.nextInt(4);
      if (kind == 0) {
        continue;
      }
      if (kind == 1) {
        Arrays.fill(noise, (byte) random.nextInt(1, 256));
      } else {
        random.nextBytes(noise);
      }
      System.arraycopy(noise, 0, bytes, at, noise.length);
    }
    return bytes;
  }

  int length() {
    return image.length;
  }

  /// Returns the next write, and records the write as unflushed. The write avoids blocks that
  /// already have an unflushed write. After two unflushed writes to a block, a failure could leave
  /// the data of either write, but this class stores the data of only one unflushed write.
  public Write next(SplittableRandom random) {
    int blocks = random.nextInt(1, MOST_BLOCKS);
    int first = random.nextInt(doubtful.length - blocks);
    Write write = new Write(first * BLOCK, blocks * BLOCK, random.nextInt(1, 256));
    for (int block = first; block < first + blocks; block++) {
      if (doubtful[block]) {
        return next(random);
      }
    }
    Arrays.fill(written, write.offset(), write.offset() + write.length(), (byte) write.pattern());
    Arrays.fill(doubtful, first, first + blocks, true);
    return write;
  }

  /// Records that these writes are on stable storage. Called after the target has answered the
  /// flush.
  public void flushed(Iterable<Write> writes) {
    for (Write write : writes) {
      System.arraycopy(written, write.offset(), flushed, write.offset(), write.length());
      int first = write.offset() / BLOCK;
      Arrays.fill(doubtful, first, first + write.length() / BLOCK, false);
    }
  }

  /// Discards all writes. Called when no LUN exists, before a client requests a new LUN.
  public void forget() {
    System.arraycopy(image, 0, flushed, 0, image.length);
    Arrays.fill(doubtful, false);
  }

  /// Fails if the length differs, or if a block contains neither the flushed data nor the data of
  /// an unflushed write. Otherwise the found content becomes the expected content.
  public void check(byte[] found) {
    BrokenInvariant.unless("length of the LUN", flushed.length, found.length);
    for (int block = 0; block < doubtful.length; block++) {
      int from = block * BLOCK;
      int to = from + BLOCK;
      boolean old = Arrays.equals(flushed, from, to, found, from, to);
      boolean other = doubtful[block] && Arrays.equals(written, from, to, found, from, to);
      if (!old && !other) {
        throw new BrokenInvariant(
            "block of the LUN at " + from,
            "byte " + flushed[from] + (doubtful[block] ? " or " + written[from] : ""),
            "byte " + found[from]);
      }
      System.arraycopy(found, from, flushed, from, BLOCK);
      doubtful[block] = false;
    }
  }
}
