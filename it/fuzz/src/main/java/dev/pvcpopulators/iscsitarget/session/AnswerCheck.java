package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.pdu.DigestGenerator;
import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Checks the PDUs that the iSCSI target sends. Digests, lengths and sequence numbers must be
/// correct, and each response must belong to a request. These rules hold for every initiator.
final class AnswerCheck {
  private static final int BUFFER = 1 << 16;

  private final SessionParameters parameters;
  private final Dialogue dialogue;
  private final DigestGenerator digest = new DigestGenerator();
  private byte[] bytes = new byte[BUFFER];
  private int length;
  private int statSn;
  private int expCmdSn;
  private int maxCmdSn;

  AnswerCheck(SessionParameters parameters, Dialogue dialogue) {
    this.parameters = parameters;
    this.dialogue = dialogue;
    this.statSn = parameters.statSn();
    this.expCmdSn = parameters.expCmdSn();
    this.maxCmdSn = parameters.expCmdSn() + SessionLimits.WINDOW - 1;
  }

  /// Stores bytes that the target has sent. [#check] checks these bytes later.
  synchronized void sent(ByteBuffer from) {
    int count = from.remaining();
    if (length + count > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
    }
    from.get(bytes, length, count);
    length += count;
  }

  /// Checks all complete PDUs that were sent since the previous call.
  synchronized void check() {
    ByteBuffer rest = ByteBuffer.wrap(bytes, 0, length).slice();
    while (rest.remaining() >= PduFormat.BHS_LENGTH) {
      int size = size(rest);
      if (size > rest.remaining()) {
        break;
      }
      pdu(rest.slice(rest.position(), size));
      rest.position(rest.position() + size);
    }
    System.arraycopy(bytes, rest.position(), bytes, 0, rest.remaining());
    length = rest.remaining();
  }

  /// Checks the remaining bytes, and that the last PDU is complete.
  synchronized void end() {
    check();
    ensure(length == 0, "The last PDU is incomplete");
  }

  private int size(ByteBuffer header) {
    int data = PduFormat.dataSegmentLength(header);
    int most = parameters.initiatorMaxRecvDataSegmentLength();
    ensure(PduFormat.totalAhsLength(header) == 0, "The target sent additional header segments");
    ensure(data <= most, "Expected a data segment of at most " + most + " bytes, found " + data);
    return dataAt() + PduFormat.padded(data) + (data > 0 ? parameters.dataDigest().length() : 0);
  }

  private int dataAt() {
    return PduFormat.BHS_LENGTH + parameters.headerDigest().length();
  }

  private void pdu(ByteBuffer pdu) {
    ByteBuffer header = pdu.slice(0, PduFormat.BHS_LENGTH);
    int count = PduFormat.dataSegmentLength(header);
    ByteBuffer data = pdu.slice(dataAt(), count);
    checkDigests(pdu, count);
    Opcode opcode = PduFormat.opcode(header);
    if (opcode == null || opcode.fromInitiator()) {
      throw new AssertionError("The target sent a PDU with the opcode " + opcode);
    }
    number(opcode, header);
    dialogue.answered(opcode, header, data);
  }

  private void checkDigests(ByteBuffer pdu, int count) {
    if (parameters.headerDigest() != Digest.NONE) {
      int found = pdu.getInt(PduFormat.BHS_LENGTH);
      int right = digest.update(pdu.slice(0, PduFormat.BHS_LENGTH)).finish();
      ensure(found == right, "A header digest is wrong");
    }
    if (parameters.dataDigest() != Digest.NONE && count > 0) {
      int padded = PduFormat.padded(count);
      int found = pdu.getInt(dataAt() + padded);
      ensure(
          found == digest.update(pdu.slice(dataAt(), padded)).finish(), "A data digest is wrong");
    }
  }

  private void number(Opcode opcode, ByteBuffer header) {
    boolean withStatus = opcode != Opcode.DATA_IN || (header.get(1) & 1) != 0;
    if (withStatus) {
      int found = header.getInt(24);
      ensure(found == statSn, "expected StatSN " + statSn + ", found " + found);
      if (usesStatSn(opcode, header)) {
        statSn++;
      }
    }
    int expected = header.getInt(28);
    int most = header.getInt(32);
    ensure(expected - expCmdSn >= 0, "ExpCmdSN decreased to " + expected);
    ensure(most - maxCmdSn >= 0, "MaxCmdSN decreased to " + most);
    ensure(most - expected < SessionLimits.WINDOW, "A window of " + (most - expected + 1));
    expCmdSn = expected;
    maxCmdSn = most;
  }

  private static boolean usesStatSn(Opcode opcode, ByteBuffer header) {
    return switch (opcode) {
      case READY_TO_TRANSFER -> false;
      case NOP_IN -> PduFormat.initiatorTaskTag(header) != PduFormat.NO_TAG;
      default -> true;
    };
  }

  static void ensure(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
