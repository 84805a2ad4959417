package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.PduFormat;

/// What one session may hold, so that all together stay within the process's memory: with 64
/// sessions at once, input and output take at most 29 MiB outside the heap, [ChunkPool] 24 MiB;
/// with 200, each of which takes short segments, 41 MiB and as much.
final class SessionLimits {
  /// Non-immediate commands that an initiator may have under way (MaxCmdSN − ExpCmdSN + 1, RFC
  /// 7143, section 4.2.2.1). open-iscsi has at most 128 by default (`cmds_max`).
  static final int WINDOW = 128;

  /// Immediate SCSI commands under way, which the window does not count.
  static final int MAX_IMMEDIATE_COMMANDS = 16;

  /// Bytes of the longest data segment taken in full-feature phase: MaxRecvDataSegmentLength.
  static final int MAX_RECEIVED_SEGMENT = 256 * 1024;

  /// Bytes of the longest data segment where there may be more than [#MANY] sessions: its PDU fits
  /// into [#INPUT_BUFFER].
  private static final int SHORT_SEGMENT = 32 * 1024;

  private static final int MANY = 64;

  /// Bytes of the longest PDU taken: header, AHS, header digest, data, data digest.
  static final int MAX_RECEIVED_PDU =
      PduFormat.BHS_LENGTH
          + PduFormat.MAX_AHS_LENGTH
          + PduFormat.DIGEST_LENGTH
          + MAX_RECEIVED_SEGMENT
          + PduFormat.DIGEST_LENGTH;

  /// Bytes of a connection's input buffer, as long as no PDU is longer.
  static final int INPUT_BUFFER = 64 * 1024;

  /// Bytes of the input buffer from the first longer PDU on: one maximal PDU and what one read
  /// brings of the next ones.
  static final int LARGE_INPUT_BUFFER = MAX_RECEIVED_PDU + INPUT_BUFFER;

  /// Bytes of a connection's output buffer: the answers to a queue of 32 reads of a page each.
  static final int OUTPUT_BUFFER = 144 * 1024;

  /// Bytes of data in one Data-In PDU, so that two are in the output buffer.
  static final int MAX_BUFFERED_SEGMENT = 64 * 1024;

  /// Bytes of commands that wait for one with a lower CmdSN. An initiator that keeps to the order
  /// (RFC 7143, section 4.2.2.1) never needs it.
  static final int MAX_HELD_BACK = 256 * 1024;

  private SessionLimits() {}

  /// Bytes of the longest data segment taken where there may be so many sessions at once.
  static int receivedSegment(int sessions) {
    return sessions > MANY ? SHORT_SEGMENT : MAX_RECEIVED_SEGMENT;
  }
}
