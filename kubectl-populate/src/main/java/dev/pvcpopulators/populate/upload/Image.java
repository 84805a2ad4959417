package dev.pvcpopulators.populate.upload;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.UUID;

/// The image to upload: a file, or standard input.
sealed interface Image extends Closeable {
  /// Returns the image's name for messages.
  String name();

  /// Returns the image's length in bytes, if known.
  OptionalLong length();

  /// Returns the key of the image's upload, for the header field `Upload-Key`. An unchanged file
  /// has the same key in each process, so that a second command continues the first command's
  /// upload. Each stream has a random key.
  String key();

  /// Reads bytes at an offset.
  ///
  /// @return the number of bytes, at most `most`; 0 only at the end
  /// @throws VolumeException if the image is a stream and these bytes cannot be read again
  int read(long offset, byte[] target, int most) throws IOException, VolumeException;

  /// A file.
  record OfFile(Path path, FileChannel channel, long bytes, String key) implements Image {
    /// The maximum number of bytes of one read. For each thread, the JDK keeps a buffer outside the
    /// heap that is as large as the thread's largest read.
    private static final int BLOCK = 128 << 10;

    @Override
    public String name() {
      return path.toString();
    }

    @Override
    public OptionalLong length() {
      return OptionalLong.of(bytes);
    }

    @Override
    public int read(long offset, byte[] target, int most) throws IOException {
      int count = (int) Math.min(most, bytes - offset);
      for (int at = 0; at < count; ) {
        ByteBuffer block = ByteBuffer.wrap(target, at, Math.min(BLOCK, count - at));
        int read = channel.read(block, offset + at);
        if (read < 0) {
          throw new IOException("expected %d bytes, found %d".formatted(bytes, offset + at));
        }
        at += read;
      }
      return count;
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /// A stream. Only the part that was read last can be read again.
  final class OfStream implements Image {
    private final InputStream stream;
    private final String key = UUID.randomUUID().toString();
    private byte[] last = new byte[0];
    private long begin;

    OfStream(InputStream stream) {
      this.stream = stream;
    }

    @Override
    public String name() {
      return "standard input";
    }

    @Override
    public OptionalLong length() {
      return OptionalLong.empty();
    }

    @Override
    public String key() {
      return key;
    }

    @Override
    public int read(long offset, byte[] target, int most) throws IOException, VolumeException {
      if (offset == begin + last.length) {
        begin = offset;
        last = stream.readNBytes(most);
      }
      if (offset < begin) {
        throw new VolumeException(
            new Failure.Cancelled(
                "Uploading standard input: the service needs byte %d again, and standard input cannot"
                        .formatted(offset)
                    + " be read twice; upload a file instead"));
      }
      int from = Math.toIntExact(offset - begin);
      int count = Math.min(most, last.length - from);
      System.arraycopy(last, from, target, 0, count);
      return count;
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  /// Opens a file.
  ///
  /// @throws VolumeException if the file cannot be read, or is empty
  static Image open(Path path) throws VolumeException {
    try {
      if (!Files.isRegularFile(path)) {
        throw new NoSuchFileException(path.toString(), null, "expected a file, found none");
      }
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      long bytes = channel.size();
      if (bytes == 0) {
        channel.close();
        throw VolumeException.invalid(
            "Reading %s: expected an image, found no bytes".formatted(path));
      }
      return new OfFile(path, channel, bytes, key(path, bytes));
    } catch (IOException e) {
      throw new VolumeException(
          new Failure.SourceNotFound("Reading %s: %s".formatted(path, e.getMessage())), e);
    }
  }

  private static String key(Path path, long bytes) throws IOException {
    String text = "%s\n%d\n%s".formatted(path.toRealPath(), bytes, Files.getLastModifiedTime(path));
    byte[] digest = sha256().digest(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest, 0, 16);
  }

  /// Returns a new digest for SHA-256.
  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
