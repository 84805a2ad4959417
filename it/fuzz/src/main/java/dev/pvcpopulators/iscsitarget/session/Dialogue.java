package dev.pvcpopulators.iscsitarget.session;

import static dev.pvcpopulators.iscsitarget.session.AnswerCheck.ensure;

import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.pdu.Opcode;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import dev.pvcpopulators.iscsitarget.pdu.ReadyToTransfer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Checks the responses to the requests of the initiator. No request may get two responses.
///
/// The initiator is orderly if each tag belongs to one command at a time, and CmdSN increases by
/// one. Each request of an orderly initiator must get exactly one response. The only exception is a
/// command that another request may have ended.
///
/// A read command of an orderly initiator must return the content of the medium if [#calm] is true,
/// and if the target has responded to all commands that may change blocks.
final class Dialogue {
  private static final int OVERFLOW = 4;
  private static final int UNDERFLOW = 2;
  private static final int SANITIZE = 0x48;
  private static final int PERSISTENT_RESERVE_OUT = 0x5F;

  private final SessionParameters parameters;
  private final Map<Integer, SentCommand> commands = new HashMap<>();
  private final Map<Request, Integer> open = new HashMap<>();
  private boolean orderly;

  /// True after a request that may end other commands. The ended commands get no response.
  private boolean managed;

  /// False after a SANITIZE command. Also false if the initiator has sent a command before the
  /// target responded to an earlier command that may change blocks.
  private boolean calm = true;

  private record Request(Opcode kind, int tag) {}

  /// Starts a dialogue.
  ///
  /// @param orderly false if the responses cannot be predicted
  Dialogue(SessionParameters parameters, boolean orderly) {
    this.parameters = parameters;
    this.orderly = orderly;
  }

  /// Records that the initiator is no longer orderly.
  void disorder() {
    orderly = false;
  }

  /// Records a request that the initiator is about to send, and that requires a response.
  void asked(Opcode kind, ByteBuffer header) {
    int tag = PduFormat.initiatorTaskTag(header);
    if (open.merge(new Request(kind, tag), 1, Integer::sum) > 1 || tag == PduFormat.NO_TAG) {
      disorder();
    }
    if (kind == Opcode.TASK_MANAGEMENT_REQUEST) {
      managed = true;
    }
  }

  /// Records a command that the initiator is about to send.
  void sent(SentCommand command) {
    command.permit();
    boolean others = commands.values().stream().anyMatch(SentCommand::changes);
    calm &= !others && command.opcode() != SANITIZE;
    managed |= command.opcode() == PERSISTENT_RESERVE_OUT;
    commands.put(command.tag, command);
  }

  /// Returns the unanswered command of a tag; null if there is none.
  @Nullable SentCommand command(int tag) {
    return commands.get(tag);
  }

  /// Returns the commands that wait for data from the initiator.
  List<SentCommand> wanting() {
    List<SentCommand> wanting = new ArrayList<>();
    for (SentCommand command : commands.values()) {
      if (command.request != null || command.unsolicited) {
        wanting.add(command);
      }
    }
    return wanting;
  }

  /// Returns whether no further response is expected.
  boolean settled() {
    return !orderly
        || open.entrySet().stream()
            .noneMatch(request ->
                request.getValue() > 0
                    && (!managed || request.getKey().kind() != Opcode.SCSI_COMMAND));
  }

  /// Returns the requests without a response, for a message.
  String unanswered() {
    return "answers to " + open + " of " + commands.values();
  }

  /// Records and checks a PDU from the target.
  void answered(Opcode opcode, ByteBuffer header, ByteBuffer data) {
    int tag = PduFormat.initiatorTaskTag(header);
    switch (opcode) {
      case SCSI_RESPONSE -> response(tag, header);
      case DATA_IN -> dataIn(tag, header, data);
      case READY_TO_TRANSFER -> readyToTransfer(tag, header);
      case TASK_MANAGEMENT_RESPONSE -> close(Opcode.TASK_MANAGEMENT_REQUEST, tag);
      case TEXT_RESPONSE -> close(Opcode.TEXT_REQUEST, tag);
      case LOGOUT_RESPONSE -> close(Opcode.LOGOUT_REQUEST, tag);
      case NOP_IN -> close(Opcode.NOP_OUT, tag);
      case REJECT -> reject(data);
      default -> throw new AssertionError("The target sent " + opcode + " after the login");
    }
  }

  private void close(Opcode kind, int tag) {
    int left = open.merge(new Request(kind, tag), -1, Integer::sum);
    ensure(left >= 0, "%s %08x got two responses, or was never sent".formatted(kind, tag));
  }

  /// Records a Reject. The data of a Reject is the header of the rejected PDU.
  private void reject(ByteBuffer of) {
    ensure(of.remaining() >= PduFormat.BHS_LENGTH, "A Reject of " + of.remaining() + " bytes");
    Opcode opcode = PduFormat.opcode(of);
    int tag = PduFormat.initiatorTaskTag(of);
    if (opcode == null || !open.containsKey(new Request(opcode, tag))) {
      return; // The request required no response.
    }
    close(opcode, tag);
    if (opcode == Opcode.SCSI_COMMAND && orderly) {
      commands.remove(tag);
    }
  }

  private @Nullable SentCommand underWay(int tag) {
    ensure(
        open.getOrDefault(new Request(Opcode.SCSI_COMMAND, tag), 0) > 0,
        "A PDU of a command %08x that is not in progress".formatted(tag));
    return orderly ? commands.get(tag) : null;
  }

  private void response(int tag, ByteBuffer header) {
    SentCommand command = underWay(tag);
    if (command != null) {
      int sent = header.getInt(36);
      int known = command.dataIns + command.requests;
      ensure(sent == known, "expected ExpDataSN " + known + ", found " + sent + ": " + command);
      ended(command, header);
    }
    close(Opcode.SCSI_COMMAND, tag);
    commands.remove(tag);
  }

  private void ended(SentCommand command, ByteBuffer header) {
    boolean overflow = (header.get(1) & OVERFLOW) != 0;
    boolean underflow = (header.get(1) & UNDERFLOW) != 0;
    long residual = Integer.toUnsignedLong(header.getInt(44));
    ensure(!overflow || !underflow, "Overflow and underflow: " + command);
    ensure((residual > 0) == (overflow || underflow), "A residual without its flag: " + command);
    ensure(!underflow || residual <= command.expected, "The underflow is too large: " + command);
    boolean pure = command.reads && !command.writes;
    // If a command writes but has only the read flag, the response has the overflow flag (RFC 7143,
    // section 11.4.5.1).
    if (pure && header.get(3) == 0 && !overflow) {
      long all = command.received + (underflow ? residual : 0);
      ensure(
          all == command.expected,
          "expected " + command.expected + " bytes, found " + all + ": " + command);
    }
  }

  private void dataIn(int tag, ByteBuffer header, ByteBuffer data) {
    SentCommand command = underWay(tag);
    boolean withStatus = (header.get(1) & 1) != 0;
    if (command != null) {
      int count = data.remaining();
      int sn = header.getInt(36);
      long offset = Integer.toUnsignedLong(header.getInt(40));
      ensure(sn == command.dataIns++, "DataSN " + sn + ": " + command);
      ensure(offset == command.received, "Buffer offset " + offset + ": " + command);
      ensure(command.reads && count > 0, "Data without a read, or no data: " + command);
      command.received += count;
      ensure(command.received <= command.expected, "More data than expected: " + command);
      checkContent(command, offset, data);
      if (withStatus) {
        ended(command, header);
      }
    }
    if (withStatus) {
      close(Opcode.SCSI_COMMAND, tag);
      commands.remove(tag);
    }
  }

  private void checkContent(SentCommand command, long offset, ByteBuffer data) {
    WatchedMedium medium = command.medium;
    boolean stands = commands.values().stream().noneMatch(SentCommand::changes);
    if (calm && stands && medium != null && command.readsBlocks()) {
      long from = command.lba() * WatchedMedium.BLOCK + offset;
      ensure(medium.holds(from, data), "The data differ from the medium: " + command);
    }
  }

  private void readyToTransfer(int tag, ByteBuffer header) {
    SentCommand command = underWay(tag);
    if (command == null) {
      return;
    }
    ReadyToTransfer request =
        new ReadyToTransfer(
            header.getLong(8),
            tag,
            header.getInt(20),
            new SequenceNumbers(0, 0, 0),
            header.getInt(36),
            Integer.toUnsignedLong(header.getInt(40)),
            Integer.toUnsignedLong(header.getInt(44)));
    long length = request.desiredDataTransferLength();
    ensure(command.request == null, "Two R2Ts at once: " + command);
    ensure(request.r2tSn() == command.requests++, "R2TSN " + request.r2tSn() + ": " + command);
    ensure(command.writes && length > 0, "An R2T without a write, or for no data: " + command);
    ensure(length <= parameters.maxBurstLength(), "A burst of " + length + ": " + command);
    ensure(
        request.bufferOffset() + length <= command.expected,
        "An R2T beyond the expected length: " + command);
    ensure(request.lun() == command.lun, "An R2T for another unit: " + command);
    ensure(request.targetTransferTag() != PduFormat.NO_TAG, "An R2T without a tag: " + command);
    command.request = request;
    command.nextDataSn = 0;
    command.nextOffset = request.bufferOffset();
  }
}
