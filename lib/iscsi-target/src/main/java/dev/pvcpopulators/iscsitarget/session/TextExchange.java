package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.TextNegotiation;
import dev.pvcpopulators.iscsitarget.login.text.MalformedTextException;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.RejectReason;
import dev.pvcpopulators.iscsitarget.pdu.login.TextRequest;
import dev.pvcpopulators.iscsitarget.pdu.login.TextResponse;
import dev.pvcpopulators.iscsitarget.wire.ReceivedPdu;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Text requests and responses of a session (RFC 7143, sections 11.10 and 11.11). A request or a
/// response may take several PDUs. A session has one exchange at a time; a request without a target
/// transfer tag starts a new exchange. Used by the connection's thread only.
final class TextExchange {
  /// The target transfer tag of all exchanges.
  private static final int TAG = 1;

  private final TextNegotiation negotiation;
  private final PduOutput output;

  /// The text that the initiator has sent since the last answer.
  private ByteBuffer incoming = PduOutput.NOTHING;

  /// The part of the answer that is not sent yet.
  private ByteBuffer outgoing = PduOutput.NOTHING;

  private boolean underWay;

  TextExchange(TextNegotiation negotiation, PduOutput output) {
    this.negotiation = negotiation;
    this.output = output;
  }

  /// Answers a request.
  ///
  /// @return the reason to reject the PDU; null if it is accepted
  @Nullable RejectReason request(ReceivedPdu pdu) {
    TextRequest request = TextRequest.read(pdu.header());
    boolean begins = request.targetTransferTag() == PduFormat.NO_TAG;
    if ((request.isFinal() && request.continues()) || (!begins && !underWay)) {
      return RejectReason.PROTOCOL_ERROR;
    }
    if (begins) {
      incoming = PduOutput.NOTHING;
      outgoing = PduOutput.NOTHING;
    }
    if (incoming.remaining() + pdu.data().remaining() > TextNegotiation.MAX_LENGTH) {
      underWay = false;
      return RejectReason.PROTOCOL_ERROR;
    }
    incoming = join(incoming, pdu.data());
    if (!request.continues() && !outgoing.hasRemaining()) {
      try {
        outgoing = negotiation.answer(incoming);
      } catch (MalformedTextException _) { // the Reject reports the error
        underWay = false;
        return RejectReason.PROTOCOL_ERROR;
      }
      incoming = PduOutput.NOTHING;
    }
    respond(request);
    return null;
  }

  private void respond(TextRequest request) {
    int length = Math.min(outgoing.remaining(), output.longestSegment());
    ByteBuffer text = outgoing.slice(outgoing.position(), length);
    outgoing.position(outgoing.position() + length);
    boolean continues = outgoing.hasRemaining();
    underWay = continues || !request.isFinal();
    boolean last = !underWay;
    output.status(
        (into, numbers) ->
            new TextResponse(
                    last,
                    continues,
                    0,
                    request.initiatorTaskTag(),
                    last ? PduFormat.NO_TAG : TAG,
                    numbers)
                .write(into, length),
        text,
        () -> {});
  }

  private static ByteBuffer join(ByteBuffer first, ByteBuffer second) {
    return ByteBuffer.allocate(first.remaining() + second.remaining())
        .put(first.duplicate())
        .put(second.duplicate())
        .flip();
  }
}
