package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.block.cdb.Refusals;
import dev.pvcpopulators.iscsitarget.block.cdb.SanitizeMethod;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// The sanitize operation of a device (SBC-3, section 4.11). At most one operation runs, in the
/// background. Neither an abort nor a reset ends the operation. While the operation changes blocks,
/// no command changes blocks. After a failure, only another sanitize operation can change blocks,
/// until a sanitize operation or EXIT FAILURE MODE succeeds.
final class Sanitizing {
  private static final System.Logger LOG = System.getLogger(Sanitizing.class.getName());

  /// The length of one write step in bytes.
  private static final int STEP = 1 << 18;

  /// The length of one deallocation step in bytes.
  private static final long ERASE_STEP = 1L << 30;

  private static final int WHOLE = 1 << 16;

  /// The state of the operation.
  private sealed interface State {
    record Idle() implements State {}

    /// The operation runs.
    ///
    /// @param progress the progress in units of 1/65,536
    record Running(int progress) implements State {}

    /// The operation failed.
    ///
    /// @param unrestricted whether EXIT FAILURE MODE may end this state (AUSE)
    record Failed(boolean unrestricted) implements State {}
  }

  private final BlockDevice blocks;
  private final Readiness readiness;
  private volatile State state = new State.Idle();

  /// Creates the operation of a device.
  ///
  /// @param readiness the state that refuses most commands while the operation runs, and after the
  ///   operation has failed
  Sanitizing(BlockDevice blocks, Readiness readiness) {
    this.blocks = blocks;
    this.readiness = readiness;
  }

  /// Returns the reason why other commands cannot run: an operation is running or has failed.
  /// Returns empty in the state `Idle`.
  Optional<Sense> notReady() {
    return switch (state) {
      case State.Idle _ -> Optional.empty();
      case State.Running(int progress) ->
          Optional.of(Refusals.SANITIZE_IN_PROGRESS.withProgress(progress));
      case State.Failed _ -> Optional.of(Refusals.SANITIZE_COMMAND_FAILED);
    };
  }

  boolean failed() {
    return state instanceof State.Failed;
  }

  private Response barred() {
    // No reason means that the operation or its failure mode has ended in the meantime.
    return notReady().map(Response::check).orElse(Response.BUSY);
  }

  /// Starts an operation.
  ///
  /// @param unrestricted whether EXIT FAILURE MODE may end the failed state of the operation
  /// @return a future that completes with the outcome; empty if an operation runs already
  synchronized Optional<CompletableFuture<Response>> start(
      SanitizeMethod method, boolean unrestricted) {
    if (state instanceof State.Running) {
      return Optional.empty();
    }
    state = new State.Running(0);
    readiness.sanitizing(this);
    CompletableFuture<Response> ended = new CompletableFuture<>();
    Thread.ofVirtual().name("sanitize").start(() -> ended.complete(run(method, unrestricted)));
    return Optional.of(ended);
  }

  /// Ends the failure mode.
  ///
  /// @return false if the failed operation does not allow EXIT FAILURE MODE; true if the failure
  ///   mode has ended, and also if there was no failure mode
  synchronized boolean exitFailureMode() {
    if (state instanceof State.Failed(boolean unrestricted)) {
      if (!unrestricted) {
        return false;
      }
      state = new State.Idle();
      readiness.sanitizing(null);
      blocks.unbar();
    }
    return true;
  }

  private Response run(SanitizeMethod method, boolean unrestricted) {
    blocks.bar(this::barred);
    try {
      switch (method) {
        case SanitizeMethod.Overwrite overwrite -> overwrite(overwrite);
        case SanitizeMethod.Erase _ -> erase();
      }
      blocks.flush();
      blocks.unbar();
      end(new State.Idle());
      return Response.GOOD;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.log(Level.WARNING, "A sanitize operation failed", e);
      end(new State.Failed(unrestricted));
      return Response.check(Refusals.SANITIZE_COMMAND_FAILED);
    }
  }

  private synchronized void end(State last) {
    state = last;
    if (last instanceof State.Idle) {
      readiness.sanitizing(null);
    }
  }

  private void overwrite(SanitizeMethod.Overwrite method) throws IOException {
    Medium medium = blocks.medium();
    long length = BlockDevice.bytes(blocks.capacity());
    ByteBuffer copies = copies(method.pattern());
    for (int pass = 0; pass < method.passes(); pass++) {
      if (pass > 0 && method.invert()) {
        invert(copies);
      }
      for (long done = 0; done < length; done += copies.limit()) {
        copies.clear().limit((int) Math.min(length - done, STEP));
        await(medium.arrival(done, copies.limit(), Medium.Access.WRITE));
        medium.write(done, copies);
        progress(pass, method.passes(), done, length);
      }
      medium.flush();
    }
  }

  private static ByteBuffer copies(ByteBuffer block) {
    ByteBuffer copies = ByteBuffer.allocateDirect(STEP);
    while (copies.hasRemaining()) {
      copies.put(block.duplicate());
    }
    return copies;
  }

  private static void invert(ByteBuffer bytes) {
    for (int i = 0; i < bytes.capacity(); i += Long.BYTES) {
      bytes.clear().putLong(i, ~bytes.getLong(i));
    }
  }

  private void erase() throws IOException {
    Medium medium = blocks.medium();
    long length = BlockDevice.bytes(blocks.capacity());
    for (long done = 0; done < length; done += ERASE_STEP) {
      long step = Math.min(length - done, ERASE_STEP);
      await(medium.arrival(done, step, Medium.Access.WRITE));
      medium.deallocate(done, step);
      progress(0, 1, done, length);
    }
  }

  private static void await(@Nullable CompletableFuture<Void> arrival) throws IOException {
    if (arrival == null) {
      return;
    }
    try {
      arrival.get();
    } catch (ExecutionException e) {
      throw new IOException("The data to sanitize did not arrive", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The sanitize operation was interrupted", e);
    }
  }

  private void progress(int pass, int passes, long done, long length) {
    double part = (pass + (double) done / length) / passes;
    state = new State.Running((int) (part * WHOLE));
  }
}
