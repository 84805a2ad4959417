package dev.pvcpopulators.iscsitarget.copy;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.inquiry.UnitIdentity;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.medium.Medium.Access;
import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// EXTENDED COPY (LID1) (SPC-4, section 6.3) within one logical unit. The command never copies from
/// or to another unit, because the initiator may have no access to that unit.
///
/// @param results a function that returns the store for the outcomes of a nexus's copies, or null
///   if the nexus has ended
public record ExtendedCopy(
    BlockDevice block, UnitIdentity identity, Function<Nexus, @Nullable CopyResults> results)
    implements Command {
  private static final int LENGTH_FIELD = 10;

  /// The maximum length of a parameter list in bytes; a longer list fails with PARAMETER LIST
  /// LENGTH ERROR. The header and the longest allowed descriptors need only 592 bytes. Inline data
  /// is not supported. But the maximum is greater than 592 bytes, so that a short list with inline
  /// data fails with INVALID FIELD IN PARAMETER LIST.
  private static final int LONGEST_LIST = 4096;

  /// The maximum number of bytes copied in one step.
  private static final int PIECE = 256 << 10;

  /// The time limit for one wait for data. It is less than the default of
  /// `ServerOptions.arrivalTimeout`, which limits the waits before a command runs.
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private static final int WRITE_PROTECTED = 0x2700;
  private static final int COPY_TARGET_NOT_REACHABLE = 0x0D02;
  private static final int NO_ADDITIONAL_SENSE = 0x0000;

  @Override
  public Response run(Task task) throws IOException {
    byte[] list =
        ParameterData.receive(task, task.cdb().getInt(LENGTH_FIELD) & 0xFFFF_FFFFL, LONGEST_LIST);
    if (list.length == 0) {
      return Response.GOOD;
    }
    CopyList copy = CopyList.read(list, identity);
    if (!copy.segments().isEmpty() && block.writeProtected()) {
      return Response.check(SenseKey.DATA_PROTECT, WRITE_PROTECTED);
    }
    int segments = 0;
    long bytes = 0;
    boolean good = false;
    try {
      for (CopyList.Segment segment : copy.segments()) {
        check(copy, segment);
        Response ended = copy(task, segment);
        if (ended != null) {
          return ended;
        }
        segments++;
        bytes += (long) segment.blocks() * BlockDevice.BLOCK;
      }
      good = true;
    } finally {
      CopyResults noted = results.apply(task.nexus());
      if (copy.known() && noted != null) {
        noted.add(new CopyResults.Result(copy.listId(), good, segments, bytes));
      }
    }
    return Response.GOOD;
  }

  private void check(CopyList copy, CopyList.Segment segment) throws CheckConditionException {
    if (!ours(copy, segment.source()) || !ours(copy, segment.destination())) {
      throw aborted(COPY_TARGET_NOT_REACHABLE);
    }
    if (!within(segment.sourceLba(), segment.blocks())
        || !within(segment.destinationLba(), segment.blocks())) {
      throw aborted(NO_ADDITIONAL_SENSE);
    }
  }

  private static boolean ours(CopyList copy, int index) {
    return index < copy.ours().size() && copy.ours().get(index);
  }

  private boolean within(long lba, int count) {
    long blocks = block.medium().length() / BlockDevice.BLOCK;
    return lba >= 0 && lba <= blocks - count;
  }

  private static CheckConditionException aborted(int code) {
    return new CheckConditionException(new Sense(SenseKey.COPY_ABORTED, code));
  }

  /// Copies a segment.
  ///
  /// @return null if the segment was copied; BUSY if [#arrived] returned false; the response of
  ///   [BlockDevice#write] if the device refused a write
  private @Nullable Response copy(Task task, CopyList.Segment segment) throws IOException {
    Medium medium = block.medium();
    long from = segment.sourceLba() * BlockDevice.BLOCK;
    long to = segment.destinationLba() * BlockDevice.BLOCK;
    long length = (long) segment.blocks() * BlockDevice.BLOCK;
    ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE, length));
    for (long done = 0; done < length; done += piece.limit()) {
      task.checkAborted();
      piece.clear().limit((int) Math.min(PIECE, length - done));
      if (!arrived(medium.arrival(from + done, piece.limit(), Access.READ))
          || !arrived(medium.arrival(to + done, piece.limit(), Access.WRITE))) {
        return Response.BUSY;
      }
      block.read(from + done, piece);
      Response refused = block.write(task, to + done, piece.flip());
      if (refused != null) {
        return refused;
      }
    }
    if (!block.writeCache()) {
      medium.flush();
    }
    return null;
  }

  /// Waits for data that has not arrived in the medium. A permanent failure also ends the wait; the
  /// following read or write then reports the failure.
  ///
  /// @return false if the wait exceeded [#PATIENCE] or was interrupted; else true
  private static boolean arrived(@Nullable CompletableFuture<Void> arrival) {
    if (arrival == null) {
      return true;
    }
    try {
      arrival.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      arrival.cancel(false);
      return false;
    } catch (ExecutionException e) {
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
