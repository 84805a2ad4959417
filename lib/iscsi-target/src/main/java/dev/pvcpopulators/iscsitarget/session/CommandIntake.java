package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.AdditionalHeaderSegments;
import dev.pvcpopulators.iscsitarget.pdu.DataOut;
import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.ReadyToTransfer;
import dev.pvcpopulators.iscsitarget.pdu.RejectReason;
import dev.pvcpopulators.iscsitarget.pdu.ScsiCommand;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.transfer.ChunkPool;
import dev.pvcpopulators.iscsitarget.transfer.DataOutTransfer;
import dev.pvcpopulators.iscsitarget.unit.DispatchedCommand;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.wire.ReceivedPdu;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Creates tasks from SCSI Command PDUs and passes them the data of Data-Out PDUs. For the
/// connection's thread.
final class CommandIntake {
  private static final Response TASK_SET_FULL = new Response(Status.TASK_SET_FULL, null);

  private static final int MOST_TASKS = SessionLimits.WINDOW + SessionLimits.MAX_IMMEDIATE_COMMANDS;

  private final TaskChannel channel;
  private final Tasks tasks;
  private final TaskRunner runner;
  private final ScsiTarget device;
  private final AtomicInteger transferTags = new AtomicInteger();

  CommandIntake(TaskChannel channel, Tasks tasks, TaskRunner runner, ScsiTarget device) {
    this.channel = channel;
    this.tasks = tasks;
    this.runner = runner;
    this.device = device;
  }

  /// Accepts the next command in order.
  ///
  /// @return the reason to reject its PDU; null if it is accepted
  /// @throws MalformedPduException if the initiator violates the negotiated parameters
  @Nullable RejectReason command(ReceivedPdu pdu) throws MalformedPduException {
    ScsiCommand command = ScsiCommand.read(pdu.header());
    if (tasks.find(command.initiatorTaskTag()) != null) {
      return RejectReason.TASK_IN_PROGRESS;
    }
    if (command.immediate() && tasks.count() >= MOST_TASKS) {
      return RejectReason.TOO_MANY_IMMEDIATE_COMMANDS;
    }
    if (command.initiatorTaskTag() == PduFormat.NO_TAG) {
      return RejectReason.INVALID_PDU_FIELD;
    }
    checkData(command);
    AdditionalHeaderSegments ahs =
        pdu.hasAdditionalHeaderSegments()
            ? AdditionalHeaderSegments.read(pdu.additionalHeaderSegments())
            : AdditionalHeaderSegments.NONE;
    IscsiTask task = new IscsiTask(channel, command, cdb(command, ahs));
    if (command.read() && command.write()) {
      refuse(task, Response.check(Sense.invalidField(0)));
      return null;
    }
    begin(task, pdu.data());
    return null;
  }

  /// Checks that the data of a command conforms to the negotiated parameters and to the command.
  private void checkData(ScsiCommand command) throws MalformedPduException {
    int length = command.dataSegmentLength();
    long expected = command.write() ? command.expectedDataTransferLength() : 0;
    if (length > 0 && !channel.parameters().immediateData()) {
      throw new MalformedPduException("DataSegmentLength", "0 with ImmediateData=No", length);
    }
    if (length > Math.min(expected, channel.parameters().firstBurstLength())) {
      throw new MalformedPduException(
          "DataSegmentLength", "at most FirstBurstLength and what is expected", length);
    }
    if (!command.isFinal() && (channel.parameters().initialR2T() || !command.write())) {
      throw new MalformedPduException("F", "1 where no unsolicited data may follow", 0);
    }
  }

  private void begin(IscsiTask task, ByteBuffer data) {
    ScsiCommand command = task.command();
    boolean dataIsHere =
        !command.write() || command.expectedDataTransferLength() == data.remaining();
    DispatchedCommand dispatched = device.dispatch(task, command.lun());
    CompletableFuture<Void> arrival = dispatched.arrival();
    if (arrival == null && dataIsHere && dispatched.brief()) {
      task.dataIsHere(data);
      runner.runHere(task, dispatched);
      return;
    }
    if (command.write() && !keep(task, data)) {
      dispatched.drop();
      refuse(task, TASK_SET_FULL);
      return;
    }
    tasks.add(task);
    runner.runElsewhere(task, dispatched, arrival);
  }

  /// Ends a command that never ran: at once, or when all its unsolicited data has arrived.
  private void refuse(IscsiTask task, Response response) {
    if (task.command().isFinal()) {
      runner.finish(task, response);
      return;
    }
    DataOutTransfer transfer = transfer(task);
    transfer.beginInVain();
    task.dataComes(transfer);
    tasks.add(task);
    runner.finishElsewhere(task, response);
  }

  private DataOutTransfer transfer(IscsiTask task) {
    return new DataOutTransfer(
        channel.bursts(), channel.maxBurstLength(), new Requests(channel, transferTags, task));
  }

  /// Keeps the data that came with a command, and reserves room for its unsolicited data.
  ///
  /// @return false if there is no memory for it
  private boolean keep(IscsiTask task, ByteBuffer data) {
    ScsiCommand command = task.command();
    long firstBurst =
        Math.min(command.expectedDataTransferLength(), channel.parameters().firstBurstLength());
    int length = command.isFinal() ? data.remaining() : (int) firstBurst;
    DataOutTransfer transfer = transfer(task);
    if (length > 0) {
      List<ByteBuffer> chunks = channel.parked().tryTake(Math.ceilDiv(length, ChunkPool.CHUNK));
      if (chunks.isEmpty()) {
        return false;
      }
      transfer.begin(channel.parked(), chunks, length, data);
    }
    task.dataComes(transfer);
    return true;
  }

  /// Accepts data for a command. Data without a command belongs to one that has ended, and is
  /// dropped.
  ///
  /// @param reject rejects the PDU; called before the command ends because of it
  void data(ReceivedPdu pdu, Consumer<RejectReason> reject) {
    DataOut header = DataOut.read(pdu.header());
    IscsiTask task = tasks.find(header.initiatorTaskTag());
    DataOutTransfer transfer = task == null ? null : task.transfer();
    if (transfer != null) {
      RejectReason reason = transfer.add(header, pdu.data(), pdu.intact());
      if (reason != null) {
        reject.accept(reason);
        transfer.rejected();
      }
    }
  }

  private static ByteBuffer cdb(ScsiCommand command, AdditionalHeaderSegments ahs) {
    int more = ahs.extendedCdb().map(ByteBuffer::remaining).orElse(0);
    ByteBuffer cdb = ByteBuffer.allocate(ScsiCommand.CDB_LENGTH + more);
    command.putCdb(cdb);
    ahs.extendedCdb().ifPresent(rest -> cdb.put(rest.duplicate()));
    return cdb.flip().asReadOnlyBuffer();
  }

  /// The R2Ts of one task.
  private record Requests(TaskChannel channel, AtomicInteger tags, IscsiTask task)
      implements DataOutTransfer.Requester {
    @Override
    public int targetTransferTag() {
      return tags.incrementAndGet() & Integer.MAX_VALUE; // never NO_TAG
    }

    @Override
    public void request(int targetTransferTag, long offset, int length) {
      ScsiCommand command = task.command();
      channel
          .output()
          .withoutStatus(
              (into, statSn, expCmdSn, maxCmdSn) ->
                  new ReadyToTransfer(
                          command.lun(),
                          command.initiatorTaskTag(),
                          targetTransferTag,
                          statSn,
                          expCmdSn,
                          maxCmdSn,
                          task.nextR2tSn(),
                          offset,
                          length)
                      .write(into),
              PduOutput.NOTHING);
      channel.output().flush();
    }
  }
}
