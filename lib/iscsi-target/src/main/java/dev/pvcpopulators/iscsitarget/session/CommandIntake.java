package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.pdu.AdditionalHeaderSegments;
import dev.pvcpopulators.iscsitarget.pdu.DataOut;
import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat;
import dev.pvcpopulators.iscsitarget.pdu.ReadyToTransfer;
import dev.pvcpopulators.iscsitarget.pdu.RejectReason;
import dev.pvcpopulators.iscsitarget.pdu.ScsiCommand;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Status;
import dev.pvcpopulators.iscsitarget.transfer.ChunkPool;
import dev.pvcpopulators.iscsitarget.transfer.DataOutTransfer;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.wire.ReceivedPdu;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Creates tasks from SCSI Command PDUs, and passes the data of Data-Out PDUs to these tasks. Used
/// by the connection's thread only.
final class CommandIntake {
  private static final Response TASK_SET_FULL = new Response(Status.TASK_SET_FULL, null);

  private static final int MOST_TASKS = SessionLimits.WINDOW + SessionLimits.MAX_IMMEDIATE_COMMANDS;

  private final Nexus nexus;
  private final SessionParameters parameters;
  private final PduOutput output;
  private final int maxBurst;

  /// The memory account for immediate and unsolicited data; [#bursts] is the account for data that
  /// R2Ts request. Each account has a reserved chunk, so the data of waiting commands cannot take
  /// all memory that running commands need for the data of their R2Ts.
  private final ChunkPool.Account parked;

  private final ChunkPool.Account bursts;
  private final Tasks tasks;
  private final TaskRunner runner;
  private final ScsiTarget device;
  private final AtomicInteger transferTags = new AtomicInteger();

  CommandIntake(
      Session session,
      PduOutput output,
      ChunkPool pool,
      Tasks tasks,
      TaskRunner runner,
      ScsiTarget device) {
    this.nexus = session.nexus();
    this.parameters = session.parameters();
    this.output = output;
    this.maxBurst = parameters.maxBurstLength();
    this.parked = pool.account();
    this.bursts = pool.account();
    this.tasks = tasks;
    this.runner = runner;
    this.device = device;
  }

  /// Accepts a command. The caller passes non-immediate commands in the order of CmdSN.
  ///
  /// @return the reason to reject the command's PDU; null if the PDU is accepted
  /// @throws MalformedPduException if the PDU is malformed or violates the negotiated parameters
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
    IscsiTask task = new IscsiTask(nexus, output, maxBurst, command, cdb(command, pdu));
    if (command.read() && command.write()) {
      refuse(task, Response.invalidField(0));
      return null;
    }
    begin(task, pdu.data());
    return null;
  }

  /// Checks the data segment and the F bit of a command against the negotiated parameters and the
  /// expected data transfer length.
  private void checkData(ScsiCommand command) throws MalformedPduException {
    int length = command.dataSegmentLength();
    long expected = command.write() ? command.expectedDataTransferLength() : 0;
    if (length > 0 && !parameters.immediateData()) {
      throw new MalformedPduException("DataSegmentLength", "0 with ImmediateData=No", length);
    }
    if (length > 0 && length > Math.min(expected, parameters.firstBurstLength())) {
      throw new MalformedPduException(
          "DataSegmentLength", "at most FirstBurstLength and what is expected", length);
    }
    if (!command.isFinal() && (parameters.initialR2T() || !command.write())) {
      throw new MalformedPduException("F", "1 where no unsolicited data may follow", 0);
    }
  }

  private void begin(IscsiTask task, ByteBuffer data) {
    ScsiCommand command = task.command();
    boolean dataIsHere =
        !command.write() || command.expectedDataTransferLength() == data.remaining();
    device.dispatch(task, command.lun());
    CompletableFuture<Void> arrival = task.arrival();
    if (arrival == null && dataIsHere && task.brief()) {
      task.dataIsHere(data);
      runner.runHere(task);
      return;
    }
    if (command.write() && !keep(task, data)) {
      task.drop();
      refuse(task, TASK_SET_FULL);
      return;
    }
    tasks.add(task);
    runner.runElsewhere(task, arrival);
  }

  /// Ends a command that never runs. If unsolicited Data-Out PDUs follow the command, the command
  /// ends when the last of them has arrived; otherwise it ends immediately.
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
    return new DataOutTransfer(bursts, maxBurst, new Requests(output, transferTags, task));
  }

  /// Keeps the data that came with a command, and reserves memory for the unsolicited data of the
  /// command.
  ///
  /// @return false if there is not enough memory for this data
  private boolean keep(IscsiTask task, ByteBuffer data) {
    ScsiCommand command = task.command();
    long firstBurst = Math.min(command.expectedDataTransferLength(), parameters.firstBurstLength());
    int length = command.isFinal() ? data.remaining() : (int) firstBurst;
    DataOutTransfer transfer = transfer(task);
    if (length > 0) {
      List<ByteBuffer> chunks = parked.tryTake(Math.ceilDiv(length, ChunkPool.CHUNK));
      if (chunks.isEmpty()) {
        return false;
      }
      transfer.begin(parked, chunks, length, data);
    }
    task.dataComes(transfer);
    return true;
  }

  /// Passes the data of a Data-Out PDU to the command of the PDU. Drops the data if the command has
  /// ended or receives no data.
  ///
  /// @param reject rejects the PDU; called before [DataOutTransfer#rejected], so that the Reject
  ///   precedes the response to the command
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

  private static ByteBuffer cdb(ScsiCommand command, ReceivedPdu pdu) throws MalformedPduException {
    Optional<ByteBuffer> rest =
        pdu.hasAdditionalHeaderSegments()
            ? AdditionalHeaderSegments.read(pdu.additionalHeaderSegments()).extendedCdb()
            : Optional.empty();
    int more = rest.map(ByteBuffer::remaining).orElse(0);
    ByteBuffer cdb = ByteBuffer.allocate(ScsiCommand.CDB_LENGTH + more);
    command.putCdb(cdb);
    rest.ifPresent(bytes -> cdb.put(bytes.duplicate()));
    return cdb.flip().asReadOnlyBuffer();
  }

  /// Sends the R2Ts of one task.
  private record Requests(PduOutput output, AtomicInteger tags, IscsiTask task)
      implements DataOutTransfer.Requester {
    @Override
    public int targetTransferTag() {
      return tags.incrementAndGet() & Integer.MAX_VALUE; // never NO_TAG
    }

    @Override
    public void request(int targetTransferTag, long offset, int length) {
      ScsiCommand command = task.command();
      output.withoutStatus((into, numbers) ->
          new ReadyToTransfer(
                  command.lun(),
                  command.initiatorTaskTag(),
                  targetTransferTag,
                  numbers,
                  task.nextR2tSn(),
                  offset,
                  length)
              .write(into));
      output.flush();
    }
  }
}
