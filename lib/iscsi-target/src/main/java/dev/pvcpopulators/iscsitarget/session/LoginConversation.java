package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.LoginMachine;
import dev.pvcpopulators.iscsitarget.login.LoginStep;
import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// Reads the Login Requests and writes the Login Responses of one connection. While the
/// conversation waits for a request, its only buffer is the buffer for the header. Used by one
/// thread only.
final class LoginConversation {
  /// The longest data segment in bytes before any negotiation (RFC 7143, section 13.12).
  private static final int MAX_SEGMENT = 8192;

  private final SocketChannel channel;
  private final LoginMachine machine;
  private final ByteBuffer header = ByteBuffer.allocate(PduFormat.BHS_LENGTH);

  LoginConversation(SocketChannel channel, LoginMachine machine) {
    this.channel = channel;
    this.machine = machine;
  }

  /// Runs the login until its last step, but does not send the response of the last step.
  ///
  /// @throws IOException if the connection is lost
  /// @throws MalformedPduException if a PDU is not a Login Request, or is malformed
  LoginStep run() throws IOException {
    LoginStep step = next();
    while (step instanceof LoginStep.Continue) {
      send(step);
      step = next();
    }
    return step;
  }

  private LoginStep next() throws IOException {
    fill(header.clear());
    header.flip();
    if (PduFormat.opcode(header) != Opcode.LOGIN_REQUEST) {
      throw new MalformedPduException("Opcode", "a Login Request", header.get(0));
    }
    int segment = PduFormat.dataSegmentLength(header);
    if (segment > MAX_SEGMENT) {
      throw new MalformedPduException("DataSegmentLength", "at most " + MAX_SEGMENT, segment);
    }
    int ahs = PduFormat.totalAhsLength(header);
    if (ahs > 0) {
      throw new MalformedPduException("TotalAHSLength", "0 in a Login Request", ahs);
    }
    ByteBuffer data = ByteBuffer.allocate(PduFormat.padded(segment));
    fill(data);
    return machine.step(LoginRequest.read(header), data.flip().limit(segment));
  }

  private void fill(ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (channel.read(into) < 0) {
        throw new IOException("The connection ended before the login was complete");
      }
    }
  }

  /// Sends the response of a step.
  void send(LoginStep step) throws IOException {
    int length = step.text().remaining();
    ByteBuffer out = ByteBuffer.allocate(PduFormat.BHS_LENGTH + PduFormat.padded(length));
    step.response().write(out, length);
    out.put(step.text().duplicate()).clear();
    while (out.hasRemaining()) {
      channel.write(out);
    }
  }
}
