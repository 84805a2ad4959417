package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.medium.FileRange;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// The data segment of one Data-In on its way from a file to the socket without passing through
/// this process. Its header has promised it, so that it is filled up with zeros where the file
/// fails.
final class FileTransfer {
  private static final ByteBuffer ZEROS =
      ByteBuffer.allocateDirect(SessionLimits.MAX_BUFFERED_SEGMENT).asReadOnlyBuffer();

  private final SocketChannel channel;
  private final Medium medium;
  private final long offset;
  private final int length;
  private int sent;

  /// @param offset bytes from the beginning of the medium
  /// @param length bytes of the segment
  FileTransfer(SocketChannel channel, Medium medium, long offset, int length) {
    this.channel = channel;
    this.medium = medium;
    this.offset = offset;
    this.length = length;
  }

  /// Sends the whole segment, or as much of it as the socket takes.
  ///
  /// @param range where it lies
  /// @param buffer for what has to take the other way; its content is lost
  /// @return what the medium threw, null for nothing
  /// @throws IOException where the connection is of no use any more
  @Nullable IOException run(FileRange range, ByteBuffer buffer) throws IOException {
    sendDirectly(range);
    IOException failure = null;
    while (sent < length) {
      int count = Math.min(ZEROS.capacity(), length - sent);
      buffer.clear().limit(count);
      if (failure == null) {
        failure = read(buffer);
      }
      if (failure != null) {
        buffer.position(0).put(ZEROS.slice(0, count));
      }
      buffer.position(0);
      while (buffer.hasRemaining()) {
        sent += channel.write(buffer);
      }
    }
    return failure;
  }

  private void sendDirectly(FileRange range) {
    try {
      while (sent < length) {
        long count = range.channel().transferTo(range.position() + sent, length - sent, channel);
        if (count <= 0) {
          return;
        }
        sent += (int) count;
      }
    } catch (IOException _) { // of the file or of the socket? The other way finds out
      return;
    }
  }

  private @Nullable IOException read(ByteBuffer buffer) {
    try {
      medium.read(offset + sent, buffer);
      return null;
    } catch (IOException e) {
      return e;
    }
  }
}
