package dev.pvcpopulators.it.copy;

import dev.pvcpopulators.it.Command;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.Deflater;

/// Writes a gzip file that inflates to the given bytes and many zeros. The content is about a
/// thousand times longer than the file. The class repeats the deflated bytes of one block of zeros.
/// After a sync flush, equal blocks of zeros deflate to equal bytes (RFC 1951).
final class GzipOfZeros {
  private static final int PIECE = 1 << 20;

  /// As a check, the program `gzip` inflates the beginning of the written file. It must inflate at
  /// least this number of bytes, or all zeros if the file has fewer zeros.
  private static final long SAMPLE = 100L << 20;

  /// A gzip header (RFC 1952, 2.3): method deflate, no flags, no time, unknown operating system.
  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

  private GzipOfZeros() {}

  /// Writes the file. The file has neither a final deflate block nor a gzip trailer.
  ///
  /// @param first the bytes before the zeros
  /// @param length the minimum number of zeros
  static void gzip(Path file, byte[] first, long length) throws IOException {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
    byte[] beginning = deflate(deflater, first);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      out.write(HEADER);
      out.write(beginning);
      byte[] zeros = new byte[PIECE];
      out.write(deflate(deflater, zeros));
      byte[] piece = deflate(deflater, zeros);
      if (!Arrays.equals(piece, deflate(deflater, zeros))) {
        throw new AssertionError("Equal blocks of zeros gave different bytes");
      }
      for (long written = 0; written < length; written += PIECE) {
        out.write(piece);
      }
    } finally {
      deflater.end();
    }
    // Checks the beginning of the file with gzip.
    String inflated =
        Command.run(
                "sh",
                "-c",
                "head -c "
                    + (beginning.length + 400_000)
                    + " \"$0\" | gzip -dc 2>/dev/null | wc -c",
                file.toString())
            .strip();
    if (Long.parseLong(inflated) < Math.min(length, SAMPLE)) {
      throw new AssertionError("gzip found " + inflated + " bytes");
    }
  }

  private static byte[] deflate(Deflater deflater, byte[] bytes) {
    deflater.setInput(bytes);
    byte[] deflated = new byte[bytes.length + PIECE];
    int length = deflater.deflate(deflated, 0, deflated.length, Deflater.SYNC_FLUSH);
    return Arrays.copyOf(deflated, length);
  }
}
