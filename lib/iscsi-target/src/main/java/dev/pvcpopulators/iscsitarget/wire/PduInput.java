package dev.pvcpopulators.iscsitarget.wire;

import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.pdu.DigestGenerator;
import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/// The input of a connection: reads bytes into a buffer and splits the bytes into PDUs. One read
/// takes all available bytes that fit into the buffer. So if the initiator sends many small PDUs at
/// once, one read can take many PDUs. Used by one thread only.
public final class PduInput {
  private final ReadableByteChannel channel;
  private final Buffers buffers;
  private final int longestSegment;
  private final int headerDigest;
  private final int dataDigest;
  private final DigestGenerator digest = new DigestGenerator();

  private ByteBuffer buffer;
  private int start;
  private int end;

  /// The minimum length of the next PDU in bytes, as far as the length is known. It begins at
  /// [PduFormat#BHS_LENGTH] and grows when the lengths in the header are read.
  private int needed = PduFormat.BHS_LENGTH;

  private boolean headerChecked;

  /// The buffers for input.
  public interface Buffers {
    /// Returns the buffer that the connection uses first.
    ByteBuffer buffer();

    /// Returns a buffer that has room for at least one PDU with the longest data segment.
    ByteBuffer larger();

    /// Returns the length of the longest accepted data segment in bytes.
    int longestSegment();
  }

  public PduInput(
      ReadableByteChannel channel, Buffers buffers, Digest headerDigest, Digest dataDigest) {
    this.channel = channel;
    this.buffers = buffers;
    this.longestSegment = buffers.longestSegment();
    this.headerDigest = headerDigest.length();
    this.dataDigest = dataDigest.length();
    this.buffer = buffers.buffer().clear();
  }

  /// Reads the available bytes; waits for at least one byte. Earlier results of [#next] are no
  /// longer valid.
  ///
  /// @return false at the end of the stream
  /// @throws IOException if the channel fails, or if the stream ends within a PDU
  public boolean fill() throws IOException {
    makeRoom();
    int count = channel.read(buffer.limit(buffer.capacity()).position(end));
    if (count < 0) {
      if (end > start) {
        throw new IOException("The connection ended within a PDU");
      }
      return false;
    }
    end += count;
    return true;
  }

  private void makeRoom() {
    if (start == end) {
      start = 0;
      end = 0;
    }
    boolean grows = needed > buffer.capacity();
    if (grows || start + needed > buffer.capacity() || end == buffer.capacity()) {
      ByteBuffer rest = buffer.slice(start, end - start);
      buffer = grows ? buffers.larger() : buffer;
      buffer.clear().put(rest);
      start = 0;
      end = buffer.position();
    }
  }

  /// Returns the next complete PDU.
  ///
  /// @return null if more bytes have to be read; else a PDU that is valid until the next call of
  ///   [#fill]
  /// @throws MalformedPduException if the data segment is longer than [Buffers#longestSegment] or
  ///   the header digest is wrong. After a wrong header digest, the start of the next PDU is
  ///   unknown
  public @Nullable ReceivedPdu next() throws MalformedPduException {
    int available = end - start;
    if (available < needed) {
      return null;
    }
    buffer.limit(end).position(start);
    int header = PduFormat.BHS_LENGTH + PduFormat.totalAhsLength(buffer);
    int data = start + header + headerDigest;
    if (!headerChecked && !checkHeader(header)) {
      return null;
    }
    int length = PduFormat.dataSegmentLength(buffer);
    int segment = length == 0 ? 0 : PduFormat.padded(length) + dataDigest;
    needed = data - start + segment;
    if (available < needed) {
      return null;
    }
    boolean intact = dataDigest == 0 || length == 0 || dataIntact(data, length);
    ReceivedPdu pdu =
        new ReceivedPdu(buffer.slice(start, header), buffer.slice(data, length), intact);
    start += needed;
    needed = PduFormat.BHS_LENGTH;
    headerChecked = false;
    return pdu;
  }

  /// Checks the header of the next PDU; returns false if the header has not arrived completely.
  private boolean checkHeader(int header) throws MalformedPduException {
    needed = header + headerDigest;
    if (end - start < needed) {
      return false;
    }
    if (headerDigest != 0) {
      int found = buffer.getInt(start + header);
      if (digest.update(buffer.slice(start, header)).finish() != found) {
        throw new MalformedPduException("HeaderDigest", "that of the header", found);
      }
    }
    int length = PduFormat.dataSegmentLength(buffer);
    if (length > longestSegment) {
      throw new MalformedPduException("DataSegmentLength", "at most " + longestSegment, length);
    }
    headerChecked = true;
    return true;
  }

  private boolean dataIntact(int at, int length) {
    int padded = PduFormat.padded(length);
    return digest.update(buffer.slice(at, padded)).finish() == buffer.getInt(at + padded);
  }
}
