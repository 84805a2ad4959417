package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Transfers parameter lists from the initiator, and parameter data to the initiator (SPC-4,
/// sections 4.2.5.5 and 4.2.5.6: PARAMETER LIST LENGTH and ALLOCATION LENGTH). Some commands need
/// all their data before they begin; [#fill] also receives the data of these commands, which are
/// logical blocks.
public final class ParameterData {
  private ParameterData() {}

  /// Sends data and returns GOOD. If the data is longer than the allocation length, or longer than
  /// the initiator accepts, only the beginning of the data is sent; this is not an error.
  ///
  /// @param allocationLength bytes, 0 to 4,294,967,295
  public static Response send(Task task, byte[] data, long allocationLength) throws IOException {
    int granted = (int) task.declareIn(Math.min(data.length, allocationLength));
    if (granted > 0) {
      task.send(ByteBuffer.wrap(data, 0, granted).asReadOnlyBuffer());
    }
    return Response.GOOD;
  }

  /// Receives a whole parameter list.
  ///
  /// @param length the parameter list length from the CDB, in bytes
  /// @param limit the maximum accepted value of `length`
  /// @return the list; shorter than `length` if the initiator has less data than the CDB states
  /// @throws CheckConditionException with PARAMETER LIST LENGTH ERROR if `length` exceeds the limit
  public static byte[] receive(Task task, long length, int limit) throws IOException {
    if (length > limit) {
      throw CheckConditionException.listLength();
    }
    byte[] list = new byte[(int) task.declareOut(length)];
    fill(task, list.length, ByteBuffer.wrap(list));
    return list;
  }

  /// Receives all data of a task into a buffer, beginning at the buffer's position.
  ///
  /// @param length the length in bytes that [Task#declareOut] returned; at most the buffer's
  ///   remaining room
  public static void fill(Task task, long length, ByteBuffer into) throws IOException {
    int end = into.position() + Math.toIntExact(length);
    while (into.position() < end) {
      into.put(task.receive(end - into.position()));
    }
  }
}
