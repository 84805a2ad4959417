package dev.pvcpopulators.iscsitarget.block;

import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Sends parameter data.
final class DataIn {
  private DataIn() {}

  /// @param data all parameter data
  /// @param allocationLength the most bytes that the CDB allows (SPC-4, section 4.2.5.6)
  static Response give(Task task, byte[] data, long allocationLength) throws IOException {
    long taken = task.declareIn(Math.min(data.length, allocationLength));
    if (taken > 0) {
      task.send(ByteBuffer.wrap(data, 0, Math.toIntExact(taken)));
    }
    return Response.GOOD;
  }
}
