package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.BasicHeaderSegment;
import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.pdu.DigestGenerator;
import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/// What comes in over a connection, PDU after PDU, out of one buffer: a read takes what is there,
/// which is many commands where the initiator keeps a queue. For one thread.
final class PduInput {
  private final ReadableByteChannel channel;
  private final Buffers buffers;
  private final Digest headerDigest;
  private final Digest dataDigest;
  private final DigestGenerator digest = new DigestGenerator();

  private ByteBuffer buffer;
  private int start;
  private int end;

  /// What the first PDU takes as far as its header tells, at least [PduFormat#BHS_LENGTH].
  private int needed = PduFormat.BHS_LENGTH;

  private boolean headerChecked;

  /// Where input goes.
  interface Buffers {
    ByteBuffer buffer();

    /// A buffer for one PDU of the longest segment, at least.
    ByteBuffer larger();

    /// Bytes of the longest data segment that is taken.
    int longestSegment();
  }

  PduInput(ReadableByteChannel channel, Buffers buffers, Digest headerDigest, Digest dataDigest) {
    this.channel = channel;
    this.buffers = buffers;
    this.headerDigest = headerDigest;
    this.dataDigest = dataDigest;
    this.buffer = buffers.buffer().clear();
  }

  /// Reads what is there, waits for at least one byte. What [#next] gave is not valid any more.
  ///
  /// @return false at the end of the stream
  /// @throws IOException where the stream ends within a PDU, too
  boolean fill() throws IOException {
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

  /// The next PDU that is here as a whole.
  ///
  /// @return null where more has to be read; else valid until the next call of [#next] or [#fill]
  /// @throws MalformedPduException where its header cannot be believed, so that nobody knows where
  ///   the next one begins
  @Nullable ReceivedPdu next() throws MalformedPduException {
    int available = end - start;
    if (available < needed) {
      return null;
    }
    buffer.limit(end).position(start);
    int header = PduFormat.BHS_LENGTH + BasicHeaderSegment.totalAhsLength(buffer);
    int data = start + header + headerDigest.length();
    if (!headerChecked && !checkHeader(header)) {
      return null;
    }
    int length = BasicHeaderSegment.dataSegmentLength(buffer);
    int segment = length == 0 ? 0 : PduFormat.padded(length) + dataDigest.length();
    needed = data - start + segment;
    if (available < needed) {
      return null;
    }
    boolean intact = dataDigest == Digest.NONE || length == 0 || dataIntact(data, length);
    ReceivedPdu pdu = new ReceivedPdu(view(start, header), view(data, length), intact);
    start += needed;
    needed = PduFormat.BHS_LENGTH;
    headerChecked = false;
    return pdu;
  }

  /// False where the header is not here yet as a whole.
  private boolean checkHeader(int header) throws MalformedPduException {
    needed = header + headerDigest.length();
    if (end - start < needed) {
      return false;
    }
    if (headerDigest != Digest.NONE) {
      int found = buffer.getInt(start + header);
      if (digest.update(view(start, header)).finish() != found) {
        throw new MalformedPduException("HeaderDigest", "that of the header", found);
      }
    }
    int length = BasicHeaderSegment.dataSegmentLength(buffer);
    if (length > buffers.longestSegment()) {
      throw new MalformedPduException(
          "DataSegmentLength", "at most " + buffers.longestSegment(), length);
    }
    headerChecked = true;
    return true;
  }

  private boolean dataIntact(int at, int length) {
    int padded = PduFormat.padded(length);
    return digest.update(view(at, padded)).finish() == buffer.getInt(at + padded);
  }

  private ByteBuffer view(int from, int length) {
    return buffer.slice(from, length);
  }
}
