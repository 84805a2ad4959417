package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.BasicHeaderSegment;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;

/// A PDU that is here as a whole.
///
/// @param header the basic header segment and what additional ones there are, from the buffer's
///   position to its limit
/// @param data the data segment without its padding, likewise
/// @param intact false where the data digest says that the data is not what was sent
record ReceivedPdu(ByteBuffer header, ByteBuffer data, boolean intact) {
  /// A copy that stays when the input goes on.
  ReceivedPdu copy() {
    return new ReceivedPdu(copy(header), copy(data), intact);
  }

  /// Bytes of a [#copy].
  int length() {
    return header.remaining() + data.remaining();
  }

  boolean immediate() {
    return BasicHeaderSegment.immediate(header);
  }

  /// The number of a command; means something for PDUs that have one.
  int cmdSn() {
    return header.getInt(header.position() + CMD_SN);
  }

  /// The additional header segments, a view; empty for most.
  ByteBuffer additionalHeaderSegments() {
    int from = PduFormat.BHS_LENGTH;
    return header.slice(header.position() + from, header.remaining() - from);
  }

  boolean hasAdditionalHeaderSegments() {
    return header.remaining() > PduFormat.BHS_LENGTH;
  }

  private static final int CMD_SN = 24;

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }
}
