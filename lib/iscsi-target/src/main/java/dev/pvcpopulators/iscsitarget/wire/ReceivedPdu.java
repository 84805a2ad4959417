package dev.pvcpopulators.iscsitarget.wire;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;

/// A PDU that has arrived as a whole.
///
/// @param header the basic header segment and the additional header segments, from the buffer's
///   position to its limit
/// @param data the data segment without its padding, from the buffer's position to its limit
/// @param intact false if the data digest is wrong
public record ReceivedPdu(ByteBuffer header, ByteBuffer data, boolean intact) {
  /// Returns a copy that stays valid when the next PDU is read.
  public ReceivedPdu copy() {
    return new ReceivedPdu(copy(header), copy(data), intact);
  }

  /// Returns the length of a [#copy] in bytes.
  public int length() {
    return header.remaining() + data.remaining();
  }

  public boolean immediate() {
    return PduFormat.immediate(header);
  }

  /// Returns the CmdSN. Called only for a PDU that has a CmdSN.
  public int cmdSn() {
    return header.getInt(header.position() + CMD_SN);
  }

  /// Returns a view of the additional header segments; empty for most PDUs.
  public ByteBuffer additionalHeaderSegments() {
    int from = PduFormat.BHS_LENGTH;
    return header.slice(header.position() + from, header.remaining() - from);
  }

  public boolean hasAdditionalHeaderSegments() {
    return header.remaining() > PduFormat.BHS_LENGTH;
  }

  private static final int CMD_SN = 24;

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }
}
