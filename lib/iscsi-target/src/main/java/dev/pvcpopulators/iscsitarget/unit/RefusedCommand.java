package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A command without a logical unit, with its answer.
record RefusedCommand(Response response) implements DispatchedCommand {
  @Override
  public @Nullable CompletableFuture<Void> arrival() {
    return null;
  }

  @Override
  public boolean brief() {
    return true;
  }

  @Override
  public Response run() {
    return response;
  }

  @Override
  public void drop() {}
}
