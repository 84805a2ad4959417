package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat;

/// The limits of one session, chosen so that all sessions together fit into the process's memory.
/// With 64 sessions, the input and output buffers take at most 42 MiB of direct memory, and
/// `ChunkPool` takes at most 24 MiB. With 200 sessions, the limit of a data segment is
/// [#SHORT_SEGMENT]; the input and output buffers take at most 41 MiB, and `ChunkPool` takes at
/// most 41 MiB in addition.
final class SessionLimits {
  /// The maximum number of non-immediate commands in progress. If no command is in progress,
  /// MaxCmdSN − ExpCmdSN + 1 has this value (RFC 7143, section 4.2.2.1). open-iscsi has at most 128
  /// commands in progress by default (`cmds_max`).
  static final int WINDOW = 128;

  /// If at least [#WINDOW] plus this number of commands are in progress, an immediate SCSI command
  /// is rejected, because the window does not limit immediate commands.
  static final int MAX_IMMEDIATE_COMMANDS = 16;

  /// The longest accepted data segment of a normal session in bytes if at most [#MANY] sessions are
  /// allowed. Also the maximum FirstBurstLength in bytes for any number of sessions.
  static final int MAX_RECEIVED_SEGMENT = 256 * 1024;

  /// The longest accepted data segment of a normal session in bytes if more than [#MANY] sessions
  /// are allowed. A PDU with such a segment fits into [#INPUT_BUFFER].
  private static final int SHORT_SEGMENT = 32 * 1024;

  private static final int MANY = 64;

  /// The longest accepted PDU in bytes: header, AHS, header digest, data, data digest.
  static final int MAX_RECEIVED_PDU =
      PduFormat.BHS_LENGTH
          + PduFormat.MAX_AHS_LENGTH
          + PduFormat.DIGEST_LENGTH
          + MAX_RECEIVED_SEGMENT
          + PduFormat.DIGEST_LENGTH;

  /// The size in bytes of the input buffer in new [SessionBuffers] of a normal session.
  static final int INPUT_BUFFER = 64 * 1024;

  /// The size of the input buffer in bytes after the first PDU that is longer than [#INPUT_BUFFER].
  /// The buffer has room for one PDU of [#MAX_RECEIVED_PDU] bytes, and for [#INPUT_BUFFER] bytes of
  /// the PDUs that follow. A later connection that reuses the [SessionBuffers] starts with this
  /// buffer.
  static final int LARGE_INPUT_BUFFER = MAX_RECEIVED_PDU + INPUT_BUFFER;

  /// The size of the output buffer of a normal session in bytes if at most [#MANY] sessions are
  /// allowed. According to measurements (docs/decisions/0008-reads-are-copied-once.md), sequential
  /// reads of 256 KiB take two thirds of the time that they take with [#SHORT_OUTPUT_BUFFER],
  /// because each system call sends all data of a command.
  private static final int OUTPUT_BUFFER = 272 * 1024;

  /// The size of the output buffer of a normal session in bytes if more than [#MANY] sessions are
  /// allowed. The buffer holds the answers to 32 queued reads of 4 KiB each.
  private static final int SHORT_OUTPUT_BUFFER = 144 * 1024;

  /// The maximum total size in bytes of the PDUs that wait for a command with a lower CmdSN. No PDU
  /// waits if the initiator sends its commands in order (RFC 7143, section 4.2.2.1).
  static final int MAX_HELD_BACK = 256 * 1024;

  private SessionLimits() {}

  /// Returns the longest accepted data segment of a normal session in bytes.
  ///
  /// @param sessions the maximum number of normal sessions
  static int receivedSegment(int sessions) {
    return sessions > MANY ? SHORT_SEGMENT : MAX_RECEIVED_SEGMENT;
  }

  /// Returns the size of the output buffer of a normal session in bytes.
  ///
  /// @param sessions the maximum number of normal sessions
  static int outputBuffer(int sessions) {
    return sessions > MANY ? SHORT_OUTPUT_BUFFER : OUTPUT_BUFFER;
  }

  /// Returns the longest data segment that the target copies and sends, in bytes: a power of two.
  /// The output buffer of a normal session has room for two PDUs with such segments.
  ///
  /// @param outputBuffer the size of the output buffer in bytes
  static int sentSegment(int outputBuffer) {
    return Integer.highestOneBit(outputBuffer / 2);
  }
}
