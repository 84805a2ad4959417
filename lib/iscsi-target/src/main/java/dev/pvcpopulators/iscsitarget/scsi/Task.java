package dev.pvcpopulators.iscsitarget.scsi;

import dev.pvcpopulators.iscsitarget.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;

/// One command in flight, as the transport that carries it shows it to the device server: the CDB,
/// and the data-in and data-out buffers of the initiator (SAM-5, section 5.1, Execute Command).
///
/// A command moves data in at most one direction. It first declares how much ([#declareIn] or
/// [#declareOut]), which gives what can be moved; the transport makes the residual counts of the
/// difference. Until the first byte has moved it may declare again, which replaces what it said
/// before. One thread runs a task; [#aborted] and [#abort] are for any.
public interface Task {
  Nexus nexus();

  TaskAttribute attribute();

  /// The whole CDB, read-only, position 0 to its length: 16 bytes as in the PDU, more where an
  /// additional header segment extended it. Each call gives a fresh view.
  ByteBuffer cdb();

  /// Tells how many bytes this command gives the initiator.
  ///
  /// @return how many of them the initiator takes: the command gives just these
  long declareIn(long length);

  /// Gives the next bytes. They are taken before this returns.
  ///
  /// @throws TaskAbortedException where nobody wants them any more
  void send(ByteBuffer bytes) throws IOException;

  /// Gives the next bytes out of a medium, without a copy where that is possible. The range has
  /// arrived.
  ///
  /// @throws IOException what the medium threw; what the initiator has got so far does not count
  ///   then, and the command ends with its own status
  void send(Medium medium, long offset, long length) throws IOException;

  /// Tells how many bytes this command takes from the initiator.
  ///
  /// @return how many of them the initiator has: the command takes just these
  long declareOut(long length);

  /// Takes the next bytes of what was declared; waits for them where they are on the wire.
  ///
  /// @param most how many at most, at least 1
  /// @return at least 1 byte; valid until the next call for this task, and to be changed by nobody
  /// @throws TaskAbortedException where they will not come any more
  ByteBuffer receive(int most) throws IOException;

  /// True once the command was aborted: it ends soon, with a [TaskAbortedException] or as it likes,
  /// and is not answered.
  boolean aborted();

  /// Ends the command early: from another thread, for task management, a reset or a preemption.
  /// Does not wait for its end.
  ///
  /// @param tell whether the initiator of the command is sent the status TASK ABORTED, as the
  ///   control mode page's TAS bit wants it of commands that another nexus aborts
  void abort(boolean tell);
}
