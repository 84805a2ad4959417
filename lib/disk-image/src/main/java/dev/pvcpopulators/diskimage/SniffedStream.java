package dev.pvcpopulators.diskimage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Objects;

/// A stream that sniffs its first bytes and then returns all bytes, including the sniffed ones.
///
/// The stream owns the underlying stream and closes it.
public final class SniffedStream extends ForwardingInputStream {
  private final byte[] head;
  private final int headLength;
  private final Sniffed sniffed;
  private int headPosition;

  private SniffedStream(InputStream upstream, byte[] head, int headLength) {
    super(upstream);
    this.head = head;
    this.headLength = headLength;
    this.sniffed = Sniffer.sniff(head, headLength);
  }

  /// Reads the first [Sniffer#HEAD_LENGTH] bytes, or all bytes of a shorter stream. Blocks until
  /// these bytes have arrived.
  ///
  /// @throws IOException if the underlying stream throws an exception
  public static SniffedStream open(InputStream upstream) throws IOException {
    byte[] head = new byte[Sniffer.HEAD_LENGTH];
    int length = upstream.readNBytes(head, 0, head.length);
    return new SniffedStream(upstream, head, length);
  }

  /// Returns the format recognised from the first bytes.
  public Sniffed sniffed() {
    return sniffed;
  }

  /// Returns whether the underlying stream had no bytes when this stream was opened.
  public boolean empty() {
    return headLength == 0;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    int fromHead = Math.min(length, headLength - headPosition);
    if (fromHead > 0) {
      System.arraycopy(head, headPosition, target, offset, fromHead);
      headPosition += fromHead;
      return fromHead;
    }
    return in.read(target, offset, length);
  }

  @Override
  public long transferTo(OutputStream out) throws IOException {
    int fromHead = headLength - headPosition;
    out.write(head, headPosition, fromHead);
    headPosition = headLength;
    return fromHead + in.transferTo(out);
  }

  @Override
  public int available() throws IOException {
    return headPosition < headLength ? headLength - headPosition : in.available();
  }
}
