package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Cdb;
import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.block.cdb.SanitizeMethod;
import dev.pvcpopulators.iscsitarget.scsi.Command;
import dev.pvcpopulators.iscsitarget.scsi.ParameterData;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.TaskAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// SANITIZE (SBC-3, section 5.20).
///
/// | Byte | Meaning                                      |
/// |-----:|----------------------------------------------|
/// |    1 | IMMED, 0 (reserved), AUSE, SERVICE ACTION    |
/// |  2–6 | reserved: must be 0                          |
/// |  7–8 | PARAMETER LIST LENGTH: 0 except in OVERWRITE |
///
/// The parameter list of OVERWRITE:
///
/// | Byte | Meaning                                                      |
/// |-----:|--------------------------------------------------------------|
/// | 0    | INVERT, TEST (2 bits, must be 0), OVERWRITE COUNT (5 bits, not 0) |
/// | 2–3  | INITIALIZATION PATTERN LENGTH: 1 to the size of a logical block |
/// | 4–   | INITIALIZATION PATTERN                                         |
record Sanitize(BlockDevice blocks, Sanitizing sanitizing, int serviceAction) implements Command {
  static final int OVERWRITE = 0x01;
  static final int BLOCK_ERASE = 0x02;
  static final int CRYPTOGRAPHIC_ERASE = 0x03;
  static final int EXIT_FAILURE_MODE = 0x1F;

  private static final int IMMED = 0x80;
  private static final int RESERVED = 0x40;
  private static final int AUSE = 0x20;
  private static final int FIRST_RESERVED = 2;
  private static final int PARAMETER_LIST_LENGTH = 7;

  private static final int HEADER = 4;
  private static final int INVERT = 0x80;
  private static final int TEST = 0x60;
  private static final int OVERWRITE_COUNT = 0x1F;
  private static final int PATTERN_LENGTH = 2;

  /// The interval at which a waiting task checks whether it was aborted.
  private static final long ABORT_CHECK_MILLIS = 50;

  @Override
  public Response run(Task task) throws IOException {
    ByteBuffer cdb = task.cdb();
    if ((cdb.get(Cdb.FLAGS) & RESERVED) != 0) {
      return Response.invalidField(Cdb.FLAGS);
    }
    for (int i = FIRST_RESERVED; i < PARAMETER_LIST_LENGTH; i++) {
      if (cdb.get(i) != 0) {
        return Response.invalidField(i);
      }
    }
    int length = Short.toUnsignedInt(cdb.getShort(PARAMETER_LIST_LENGTH));
    boolean lengthFits =
        serviceAction == OVERWRITE
            ? length > HEADER && length <= HEADER + BlockDevice.BLOCK
            : length == 0;
    if (!lengthFits) {
      return Response.invalidField(PARAMETER_LIST_LENGTH);
    }
    if (serviceAction == EXIT_FAILURE_MODE) {
      return sanitizing.exitFailureMode() ? Response.GOOD : Response.invalidField(Cdb.FLAGS);
    }
    Response refusal = blocks.writeRefusal();
    if (refusal != null) {
      return refusal;
    }
    Optional<SanitizeMethod> method =
        serviceAction == OVERWRITE
            ? overwrite(task, length)
            : Optional.of(new SanitizeMethod.Erase());
    return method.isEmpty()
        ? Refusals.INVALID_FIELD_IN_PARAMETER_LIST
        : start(task, cdb, method.get());
  }

  private Response start(Task task, ByteBuffer cdb, SanitizeMethod method) throws IOException {
    boolean unrestricted = (cdb.get(Cdb.FLAGS) & AUSE) != 0;
    Optional<CompletableFuture<Response>> ended =
        blocks.unlessAborted(task, () -> sanitizing.start(method, unrestricted));
    if (ended.isEmpty()) {
      return Response.BUSY;
    }
    return (cdb.get(Cdb.FLAGS) & IMMED) != 0 ? Response.GOOD : await(task, ended.get());
  }

  private static Optional<SanitizeMethod> overwrite(Task task, int length) throws IOException {
    ByteBuffer list = ByteBuffer.wrap(ParameterData.receive(task, length, length));
    if (list.limit() < HEADER) {
      return Optional.empty();
    }
    int passes = list.get(0) & OVERWRITE_COUNT;
    int patternLength = Short.toUnsignedInt(list.getShort(PATTERN_LENGTH));
    boolean sound =
        passes > 0
            && (list.get(0) & TEST) == 0
            && patternLength > 0
            && patternLength <= list.limit() - HEADER;
    if (!sound) {
      return Optional.empty();
    }
    ByteBuffer block = ByteBuffer.allocate(BlockDevice.BLOCK);
    for (int i = 0; i < BlockDevice.BLOCK; i++) {
      block.put(i, list.get(HEADER + i % patternLength));
    }
    return Optional.of(new SanitizeMethod.Overwrite(block, passes, (list.get(0) & INVERT) != 0));
  }

  private static Response await(Task task, CompletableFuture<Response> ended)
      throws TaskAbortedException {
    while (true) {
      try {
        return ended.get(ABORT_CHECK_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        task.checkAborted();
      } catch (ExecutionException e) {
        throw new IllegalStateException("A sanitize operation ended without a status", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new TaskAbortedException();
      }
    }
  }
}
