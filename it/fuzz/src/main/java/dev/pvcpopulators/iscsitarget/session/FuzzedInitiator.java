package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.fuzz.Quiet;
import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.pdu.DigestGenerator;
import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.ReadyToTransfer;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// An initiator in full-feature phase that makes PDUs from input bytes. The initiator reads whole
/// headers from the input. For each data segment, the initiator reads at most [#GIVEN] bytes, and
/// repeats these bytes until the segment is full. If [Behaviour#raw] is false, the initiator
/// corrects most PDUs: the lengths of data segments, the sequence numbers, and other fields of
/// Data-Out PDUs. Without these corrections, PDUs from random input are rarely valid. At the end of
/// the input, the initiator sends all requested data, and waits for all responses.
final class FuzzedInitiator implements MemorySocket.Peer {
  private static final int GIVEN = 256;
  private static final int NUMBERED_OTHERWISE = 0xA5;
  private static final int DATA_OTHERWISE = 0xFE;
  private static final int LONGEST = SessionLimits.MAX_RECEIVED_SEGMENT;
  private static final ByteBuffer END = ByteBuffer.allocate(0);

  private final SessionParameters parameters;
  private final Behaviour behaviour;
  private final ByteBuffer input;
  private final AnswerCheck answers;
  private final Dialogue dialogue;
  private final List<WatchedMedium> media;
  private final DigestGenerator digest = new DigestGenerator();
  private int cmdSn;
  private int count;

  /// The behaviour of the initiator.
  ///
  /// @param raw whether headers are sent unchanged
  /// @param impatient whether the initiator may send the next PDU before the target has processed
  ///   the previous PDUs
  /// @param spoilt the index of the PDU with a wrong data digest; -1 for none
  record Behaviour(boolean raw, boolean impatient, int spoilt) {}

  FuzzedInitiator(
      SessionParameters parameters,
      Behaviour behaviour,
      ByteBuffer input,
      AnswerCheck answers,
      Dialogue dialogue,
      List<WatchedMedium> media) {
    this.parameters = parameters;
    this.behaviour = behaviour;
    this.input = input;
    this.answers = answers;
    this.dialogue = dialogue;
    this.media = media;
    this.cmdSn = parameters.expCmdSn();
  }

  @Override
  public ByteBuffer next() {
    if (!behaviour.impatient()) {
      Quiet.await();
    }
    answers.check();
    return input.remaining() >= PduFormat.BHS_LENGTH ? fromInput() : finish();
  }

  private ByteBuffer fromInput() {
    byte[] given = new byte[PduFormat.BHS_LENGTH];
    input.get(given);
    ByteBuffer header = ByteBuffer.wrap(given);
    if (header.get(0) < 0) { // This reserved bit of the input serves as a flag.
      media.forEach(WatchedMedium::arrive);
    }
    if (!behaviour.raw()) {
      mend(header);
    }
    announce(header);
    return pdu(header);
  }

  private void mend(ByteBuffer header) {
    header.put(0, (byte) (header.get(0) & 0x7F));
    Opcode opcode = PduFormat.opcode(header);
    limit(header, LONGEST);
    if (opcode == Opcode.SCSI_COMMAND) {
      mendCommand(header);
    } else if (opcode == Opcode.DATA_OUT) {
      mendData(header);
    }
    if (opcode != null && numbered(opcode)) {
      if ((header.get(24) & 0xFF) == NUMBERED_OTHERWISE) {
        dialogue.disorder();
        header.putInt(24, cmdSn + header.get(27));
      } else {
        header.putInt(24, cmdSn);
      }
    }
  }

  private static boolean numbered(Opcode opcode) {
    return switch (opcode) {
      case SCSI_COMMAND, TASK_MANAGEMENT_REQUEST, TEXT_REQUEST, LOGOUT_REQUEST, NOP_OUT -> true;
      default -> false;
    };
  }

  private static void limit(ByteBuffer header, long most) {
    int length = (int) Math.min(PduFormat.dataSegmentLength(header), most);
    header.putInt(4, header.get(4) << 24 | length);
  }

  private void mendCommand(ByteBuffer header) {
    boolean writes = (header.get(1) & 0x20) != 0;
    long expected = Integer.toUnsignedLong(header.getInt(20));
    boolean immediate = writes && parameters.immediateData();
    limit(header, immediate ? Math.min(expected, parameters.firstBurstLength()) : 0);
    if (!writes || parameters.initialR2T()) {
      header.put(1, (byte) (header.get(1) | 0x80));
    }
  }

  private void mendData(ByteBuffer header) {
    if ((header.get(20) & 0xFF) == DATA_OTHERWISE) {
      return;
    }
    SentCommand command = dialogue.command(header.getInt(16));
    List<SentCommand> wanting = dialogue.wanting();
    if ((command == null || !wanting.contains(command)) && !wanting.isEmpty()) {
      command = wanting.getFirst();
      header.putInt(16, command.tag);
    }
    if (command == null) {
      return;
    }
    long missing = missing(command);
    limit(header, missing);
    boolean last = PduFormat.dataSegmentLength(header) == missing;
    ReadyToTransfer request = command.request;
    header.put(1, (byte) (last || (request == null && header.get(1) < 0) ? 0x80 : 0));
    header.putLong(8, command.lun);
    header.putInt(20, request == null ? PduFormat.NO_TAG : request.targetTransferTag());
    header.putInt(36, command.nextDataSn);
    header.putInt(40, (int) command.nextOffset);
  }

  /// Returns the number of bytes that the current data sequence of the command still needs.
  private long missing(SentCommand command) {
    ReadyToTransfer request = command.request;
    long end =
        request == null
            ? Math.min(command.expected, parameters.firstBurstLength())
            : request.bufferOffset() + request.desiredDataTransferLength();
    return Math.max(0, end - command.nextOffset);
  }

  private void announce(ByteBuffer header) {
    Opcode opcode = PduFormat.opcode(header);
    if (opcode == null) {
      return;
    }
    if (opcode == Opcode.DATA_OUT) {
      SentCommand command = dialogue.command(header.getInt(16));
      if (command != null) {
        dataSent(command, header);
      }
      return;
    }
    boolean ping = opcode == Opcode.NOP_OUT;
    boolean answer = ping && PduFormat.initiatorTaskTag(header) == PduFormat.NO_TAG;
    if (opcode.fromInitiator() && !answer) {
      dialogue.asked(opcode, header);
    }
    if (numbered(opcode) && !PduFormat.immediate(header) && !answer) {
      cmdSn += header.getInt(24) == cmdSn ? 1 : 0;
    }
    if (opcode == Opcode.SCSI_COMMAND) {
      dialogue.sent(new SentCommand(header, medium(header.getLong(8))));
    }
  }

  private static void dataSent(SentCommand command, ByteBuffer header) {
    command.nextDataSn++;
    command.nextOffset += PduFormat.dataSegmentLength(header);
    if (PduFormat.isFinal(header)) {
      command.request = null;
      command.unsolicited = false;
    }
  }

  private @Nullable WatchedMedium medium(long lun) {
    int address = (int) (lun >>> 48);
    int number = address >>> 14 <= 1 ? address & 0x3FFF : -1;
    return number >= 0 && number < media.size() ? media.get(number) : null;
  }

  /// Returns the whole PDU: the header, data from the input, padding and digests.
  private ByteBuffer pdu(ByteBuffer header) {
    int ahs = PduFormat.totalAhsLength(header);
    int length = PduFormat.dataSegmentLength(header);
    int sent = Math.min(length, LONGEST + 1); // The target reads no further bytes.
    int most = PduFormat.BHS_LENGTH + ahs + PduFormat.padded(sent) + 2 * PduFormat.DIGEST_LENGTH;
    ByteBuffer pdu = ByteBuffer.allocate(most);
    pdu.put(header.clear());
    take(pdu, Math.min(ahs, input.remaining()));
    pdu.position(PduFormat.BHS_LENGTH + ahs);
    if (parameters.headerDigest() != Digest.NONE) {
      pdu.putInt(digest.update(pdu.slice(0, pdu.position())).finish());
    }
    int at = pdu.position();
    fill(pdu, sent);
    pdu.position(at + PduFormat.padded(sent));
    if (parameters.dataDigest() != Digest.NONE && length > 0) {
      int right = digest.update(pdu.slice(at, PduFormat.padded(sent))).finish();
      pdu.putInt(count == behaviour.spoilt() ? ~right : right);
    }
    count++;
    return pdu.flip();
  }

  private void fill(ByteBuffer pdu, int length) {
    int at = pdu.position();
    int given = Math.min(Math.min(length, GIVEN), input.remaining());
    take(pdu, given);
    for (int filled = given; filled < length && given > 0; ) {
      int more = Math.min(filled, length - filled);
      pdu.put(at + filled, pdu.duplicate(), at, more);
      filled += more;
    }
  }

  /// Copies bytes of the input into a PDU.
  private void take(ByteBuffer pdu, int length) {
    pdu.put(input.slice(input.position(), length));
    input.position(input.position() + length);
  }

  /// Returns the next Data-Out PDU for which the target waits. If there is no such PDU, this method
  /// waits for all responses, and returns [#END].
  private ByteBuffer finish() {
    Quiet.await();
    boolean moved = true;
    while (moved) {
      moved = media.stream().map(WatchedMedium::arrive).reduce(false, Boolean::logicalOr);
      Quiet.await();
    }
    answers.check();
    List<SentCommand> wanting = dialogue.wanting();
    return wanting.isEmpty() ? end() : give(wanting.getFirst());
  }

  private ByteBuffer end() {
    Quiet.await(
        () -> {
          answers.check();
          return dialogue.settled() || !dialogue.wanting().isEmpty();
        },
        dialogue.unanswered());
    return dialogue.wanting().isEmpty() ? END : finish();
  }

  private ByteBuffer give(SentCommand command) {
    ReadyToTransfer request = command.request;
    int length = (int) Math.min(request == null ? 0 : missing(command), LONGEST);
    boolean last = request == null || length == missing(command);
    ByteBuffer header = ByteBuffer.allocate(PduFormat.BHS_LENGTH);
    header.put(0, (byte) Opcode.DATA_OUT.code()).put(1, (byte) (last ? 0x80 : 0));
    header.putInt(4, length).putLong(8, command.lun).putInt(16, command.tag);
    header.putInt(20, request == null ? PduFormat.NO_TAG : request.targetTransferTag());
    header.putInt(36, command.nextDataSn).putInt(40, (int) command.nextOffset);
    dataSent(command, header);
    return pdu(header);
  }
}
