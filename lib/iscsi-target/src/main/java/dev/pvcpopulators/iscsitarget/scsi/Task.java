package dev.pvcpopulators.iscsitarget.scsi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/// A command in execution, as the transport presents it to the device server: the CDB, and the
/// data-in and data-out buffers of the initiator (SAM-5, section 5.1, Execute Command).
///
/// A command moves data in at most one direction. Before a command moves data, it declares the
/// length of the data by [#declareIn] or [#declareOut]. These methods return the length that can be
/// moved, which is at most the declared length. The transport derives the residual counts from the
/// length that the initiator expects, the declared length and the moved length. Before the first
/// byte has moved, the command may declare a new length, which replaces the earlier length. One
/// thread runs a task; any thread may call [#aborted] and [#abort].
public interface Task {
  Nexus nexus();

  TaskAttribute attribute();

  /// Returns a read-only view of the whole CDB, from position 0 to the limit: the 16 CDB bytes of
  /// the PDU header, and more if an additional header segment extends the CDB. Each call returns a
  /// new view.
  ByteBuffer cdb();

  /// Declares how many bytes this command sends to the initiator.
  ///
  /// @return how many of these bytes the initiator accepts. Before the command ends with GOOD, it
  ///   must send exactly this number of bytes
  long declareIn(long length);

  /// Sends the next bytes. The buffer can be reused when this method returns.
  ///
  /// @throws TaskAbortedException if the task was aborted, or the connection is lost
  void send(ByteBuffer bytes) throws IOException;

  /// Sends the next bytes. The source puts these bytes directly into the transport's own buffer, or
  /// the transport sends them from a file of the source.
  ///
  /// @throws TaskAbortedException in the same cases as [#send(ByteBuffer)]
  /// @throws IOException if the source failed. The command must then end with an error status. This
  ///   status tells the initiator to ignore the received data
  void send(Source source, long offset, long length) throws IOException;

  /// Supplies the data that a command sends.
  @FunctionalInterface
  interface Source {
    /// Fills the buffer from its position to its limit.
    ///
    /// @param offset the position in the source at which the data begins, in bytes
    void read(long offset, ByteBuffer into) throws IOException;

    /// Returns the file in which a range has the same offset and the same bytes as in the source,
    /// if these bytes never change. The transport may then send the pages of the file. The kernel
    /// may read these pages after the command has ended, and even after the source was closed.
    ///
    /// @return null if the bytes can change, or if they are not in one file
    default @Nullable FileChannel unchangingFile(long offset, long length) {
      return null;
    }

    /// Receives the time that the kernel took to read bytes of [#unchangingFile].
    ///
    /// @param length in bytes
    default void took(long nanos, long length) {}
  }

  /// Declares how many bytes this command receives from the initiator.
  ///
  /// @return how many of these bytes the initiator has. Before the command ends with GOOD, it must
  ///   receive exactly this number of bytes
  long declareOut(long length);

  /// Receives the next bytes of the declared data; waits for them if necessary.
  ///
  /// @param most the maximum number of bytes to receive, at least 1
  /// @return at least 1 byte; valid until the next call of this method or the end of the task; the
  ///   caller must not change the bytes
  /// @throws TaskAbortedException if the task was aborted, or the bytes will never arrive
  ByteBuffer receive(int most) throws IOException;

  /// Returns whether the command was aborted. An aborted command must end soon. It may throw a
  /// [TaskAbortedException], or return a response, which the transport does not send.
  boolean aborted();

  /// Throws if the command was aborted.
  default void checkAborted() throws TaskAbortedException {
    if (aborted()) {
      throw new TaskAbortedException();
    }
  }

  /// Aborts the command, for example for task management, a reset or a preemption. Does not wait
  /// for the end of the command.
  ///
  /// @param tell whether the initiator of the command receives the status TASK ABORTED. If another
  ///   nexus aborts the command, the TAS bit of the control mode page can require this status
  void abort(boolean tell);
}
