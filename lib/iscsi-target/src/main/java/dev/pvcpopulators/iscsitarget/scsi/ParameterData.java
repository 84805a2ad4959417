package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Small data-in and data-out that is no block of the medium (SPC-4, sections 4.2.5.5 and 4.2.5.6:
/// PARAMETER LIST LENGTH and ALLOCATION LENGTH).
public final class ParameterData {
  private ParameterData() {}

  /// Sends data cut off at the allocation length, which is no error, and says GOOD.
  ///
  /// @param allocationLength bytes, 0 to 4,294,967,295
  public static Response send(Task task, byte[] data, long allocationLength) throws IOException {
    int granted = (int) task.declareIn(Math.min(data.length, allocationLength));
    if (granted > 0) {
      task.send(ByteBuffer.wrap(data, 0, granted).asReadOnlyBuffer());
    }
    return Response.GOOD;
  }

  /// Takes a parameter list whole.
  ///
  /// @param length what the CDB says, in bytes
  /// @param limit the most that the command has use for
  /// @return shorter than `length` where the initiator has less than it said
  /// @throws CheckConditionException PARAMETER LIST LENGTH ERROR beyond the limit
  public static byte[] receive(Task task, long length, int limit) throws IOException {
    if (length > limit) {
      throw CheckConditionException.illegalRequest(0x1A00);
    }
    byte[] list = new byte[(int) task.declareOut(length)];
    int filled = 0;
    while (filled < list.length) {
      ByteBuffer part = task.receive(list.length - filled);
      int bytes = part.remaining();
      part.get(list, filled, bytes);
      filled += bytes;
    }
    return list;
  }
}
