package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.DataIn;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import dev.pvcpopulators.iscsitarget.pdu.ScsiCommand;
import dev.pvcpopulators.iscsitarget.pdu.ScsiResponse;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import dev.pvcpopulators.iscsitarget.scsi.TaskAttribute;
import dev.pvcpopulators.iscsitarget.transfer.DataOutTransfer;
import dev.pvcpopulators.iscsitarget.unit.UnitTask;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A SCSI command on one connection (RFC 7143, sections 11.3 to 11.8).
final class IscsiTask extends UnitTask {
  private final Nexus nexus;
  private final PduOutput output;
  private final int maxBurst;
  private final ScsiCommand command;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  private @Nullable ByteBuffer immediateData;
  private volatile @Nullable DataOutTransfer transfer;

  private long expected;
  private long declared;
  private long taken;
  private long moved;

  private int nextDataSn;
  private int r2tSn;
  private int dataSn;
  private long dataOffset;

  private volatile boolean aborted;
  private boolean tell;
  private @Nullable Runnable whenAborted;

  /// Creates a task without data.
  ///
  /// @param maxBurst the maximum number of bytes of a Data-In sequence
  /// @param cdb the whole CDB, read-only
  IscsiTask(Nexus nexus, PduOutput output, int maxBurst, ScsiCommand command, ByteBuffer cdb) {
    super(cdb);
    this.nexus = nexus;
    this.output = output;
    this.maxBurst = maxBurst;
    this.command = command;
    this.expected = command.read() || command.write() ? command.expectedDataTransferLength() : 0;
  }

  ScsiCommand command() {
    return command;
  }

  /// Sets the complete data of the command, which arrived in the PDU of the command.
  ///
  /// @param data valid until the task ends
  void dataIsHere(ByteBuffer data) {
    immediateData = data;
  }

  /// Sets the transfer from which the task receives immediate data and the data of Data-Out PDUs.
  void dataComes(DataOutTransfer from) {
    transfer = from;
    if (aborted) { // aborted before the transfer was set
      from.abort();
    }
  }

  @Nullable DataOutTransfer transfer() {
    return transfer;
  }

  @Override
  public Nexus nexus() {
    return nexus;
  }

  @Override
  public TaskAttribute attribute() {
    return switch (command.attribute()) {
      case ScsiCommand.ATTRIBUTE_ORDERED -> TaskAttribute.ORDERED;
      case ScsiCommand.ATTRIBUTE_HEAD_OF_QUEUE -> TaskAttribute.HEAD_OF_QUEUE;
      case ScsiCommand.ATTRIBUTE_ACA -> TaskAttribute.ACA;
      default -> TaskAttribute.SIMPLE; // also for untagged tasks and reserved values
    };
  }

  @Override
  public long declareIn(long length) {
    return declare(command.read(), length);
  }

  /// Sets the declared and the expected transfer length for one direction. If the command declares
  /// data in a direction that the initiator did not request, the expected length is 0, and all
  /// declared data is an overflow. Otherwise the expected length is the Expected Data Transfer
  /// Length in the PDU. If the command declares no data, the whole Expected Data Transfer Length is
  /// an underflow, regardless of the direction that the initiator requested.
  ///
  /// @param asked whether the initiator requested the direction
  /// @param length the declared length in bytes
  /// @return the smaller of both lengths
  private long declare(boolean asked, long length) {
    expected = asked || length == 0 ? command.expectedDataTransferLength() : 0;
    declared = length;
    taken = Math.min(length, expected);
    return taken;
  }

  @Override
  public void send(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int length = nextSegment(bytes.remaining(), output.longestSegment());
      ByteBuffer segment = bytes.slice(bytes.position(), length);
      output.dataIn(this, length, into -> into.put(segment));
      bytes.position(bytes.position() + length);
    }
  }

  @Override
  public void send(Source source, long offset, long length) throws IOException {
    long sent = 0;
    while (sent < length) {
      long from = offset + sent;
      int segment = nextSegment(length - sent, output.longestFileSegment());
      FileChannel file = output.sendsFiles(segment) ? source.unchangingFile(from, segment) : null;
      if (file == null) {
        segment = nextSegment(length - sent, output.longestSegment());
        output.dataIn(this, segment, into -> source.read(from, into));
      } else {
        output.dataIn(this, segment, file, from, source);
      }
      sent += segment;
    }
  }

  /// Returns the length in bytes of the data segment of the next Data-In.
  ///
  /// @param length the number of available bytes
  /// @param most the maximum length of the data segment
  private int nextSegment(long length, int most) {
    long burstLeft = maxBurst - moved % maxBurst;
    if (length > taken - moved) {
      throw new IllegalStateException("More bytes were produced than the " + taken + " declared");
    }
    return (int) Math.min(Math.min(length, burstLeft), most);
  }

  /// Records that the next Data-In was put into the output. Called under the output's lock.
  void dataInPut(int length) {
    dataSn = nextDataSn++;
    dataOffset = moved;
    moved += length;
  }

  /// Returns whether more Data-In PDUs must follow, because a part of the data is not in the output
  /// yet. The length of the data is the length that the command's execution has declared, but at
  /// most the length that the initiator accepts.
  boolean dataInMissing() {
    return moved < taken;
  }

  /// Writes the header of the latest Data-In in the output. The header contains no status.
  void writeDataIn(ByteBuffer into, SequenceNumbers numbers, int length) {
    boolean isFinal = moved == taken || moved % maxBurst == 0;
    DataIn.of(isFinal, command.initiatorTaskTag(), numbers, dataSn, dataOffset).write(into, length);
  }

  /// Writes the header of the latest Data-In in the output. The header contains the status GOOD.
  void writeFinalDataIn(ByteBuffer into, SequenceNumbers numbers, int length) {
    Residual residual = residual(true);
    new DataIn(
            true,
            true,
            residual.overflow() > 0,
            residual.underflow() > 0,
            residual.count(),
            command.initiatorTaskTag(),
            numbers,
            dataSn,
            dataOffset)
        .write(into, length);
  }

  /// Writes the header of the SCSI Response.
  void writeResponse(ByteBuffer into, Response response, SequenceNumbers numbers, int senseLength) {
    Residual residual = residual(response.good());
    new ScsiResponse(
            command.initiatorTaskTag(),
            ScsiResponse.COMPLETED_AT_TARGET,
            response.status().code(),
            residual.overflow() > 0,
            residual.underflow() > 0,
            residual.count(),
            0,
            numbers,
            nextDataSn + r2tSn)
        .write(into, senseLength);
  }

  /// Returns the residual counts in bytes (RFC 7143, section 11.4.5). If the command ends with GOOD
  /// and declared more data than the expected length, the excess is the overflow. In all other
  /// cases, the expected data that was not transferred is the underflow.
  private Residual residual(boolean good) {
    if (good && declared > expected) {
      return new Residual(declared - expected, 0);
    }
    return new Residual(0, expected - (good && !command.read() ? taken : moved));
  }

  private record Residual(long overflow, long underflow) {
    long count() {
      return overflow + underflow;
    }
  }

  @Override
  public long declareOut(long length) {
    long granted = declare(command.write(), length);
    DataOutTransfer comes = transfer;
    if (comes != null) {
      comes.declare(granted);
    }
    return granted;
  }

  @Override
  public ByteBuffer receive(int most) throws IOException {
    if (aborted) {
      throw new TaskAbortedException();
    }
    ByteBuffer here = immediateData;
    DataOutTransfer comes = transfer;
    ByteBuffer slice;
    if (here != null && moved < taken) {
      int length = (int) Math.min(Math.min(most, taken - moved), here.remaining());
      slice = here.slice(here.position(), length);
      here.position(here.position() + length);
    } else if (comes != null && moved < taken) {
      slice = comes.receive((int) Math.min(most, taken - moved));
    } else {
      throw new IllegalStateException("More was taken than the " + taken + " declared");
    }
    moved += slice.remaining();
    return slice;
  }

  /// Returns the number of the next R2T; each call returns the next higher number.
  int nextR2tSn() {
    return r2tSn++;
  }

  @Override
  public boolean aborted() {
    return aborted;
  }

  @Override
  public void abort(boolean tell) {
    Runnable hook;
    synchronized (this) {
      if (aborted) {
        return;
      }
      aborted = true;
      this.tell = tell;
      hook = whenAborted;
    }
    DataOutTransfer comes = transfer;
    if (comes != null) {
      comes.abort();
    }
    if (hook != null) {
      hook.run();
    }
  }

  /// Sets a hook that runs when the task is aborted, or at once if the task was already aborted.
  /// The hook must not wait.
  void whenAborted(Runnable hook) {
    synchronized (this) {
      if (!aborted) {
        whenAborted = hook;
        return;
      }
    }
    hook.run();
  }

  /// Returns whether the initiator must be notified that the task was aborted.
  synchronized boolean tellsAbort() {
    return tell;
  }

  /// Releases the memory of the data. Then, if a Data-Out sequence is in transit, waits for the end
  /// of the sequence or an abort of the task.
  ///
  /// @return the reason why the transport ends the command with CHECK CONDITION; null if the
  ///   transfer did not fail
  @Nullable Sense releaseData() {
    DataOutTransfer comes = transfer;
    return comes == null ? null : comes.end();
  }

  /// Returns a future that completes when the task holds no more resources; it never completes for
  /// a task that was not added to [Tasks]. If the task has an answer, the answer is sent before the
  /// future completes, unless the connection is lost.
  CompletableFuture<Void> ended() {
    return ended;
  }
}
