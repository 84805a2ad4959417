package dev.pvcpopulators.iscsitarget.login;

/// The target's own values for negotiations (RFC 7143, section 13).
///
/// @param maxRecvDataSegmentLength the value that the target declares in a normal session, in
///   bytes, 512 to 2²⁴ − 1; in a discovery session, the value is at most [#DISCOVERY_SEGMENT]
/// @param maxBurstLength the maximum number of bytes of a Data-In sequence, and of a Data-Out
///   sequence that an R2T requests, 512 to 2²⁴ − 1
/// @param firstBurstLength the maximum number of bytes of unsolicited data of one command, 512 to
///   `maxBurstLength`
/// @param maxOutstandingR2T the maximum number of outstanding R2Ts of one task, 1 to 65,535
/// @param commandWindow the number of commands that an initiator may send beyond the commands that
///   the target has acknowledged, 1 or more; it determines MaxCmdSN in the login responses
/// @param requireDigests if true, each normal session must use CRC32C digests for both headers and
///   data; the login of any other normal session is refused
/// @param takeMd5 whether CHAP with MD5 is accepted if an initiator offers no stronger algorithm
public record NegotiationLimits(
    int maxRecvDataSegmentLength,
    int maxBurstLength,
    int firstBurstLength,
    int maxOutstandingR2T,
    int commandWindow,
    boolean requireDigests,
    boolean takeMd5) {
  /// The minimum value, in bytes, of a key whose value is a length.
  public static final int MIN_LENGTH = 512;

  /// The maximum value, in bytes, of a key whose value is a length.
  public static final int MAX_LENGTH = 0xFF_FFFF;

  /// The greatest MaxRecvDataSegmentLength that the target declares in a discovery session, in
  /// bytes. The value is the protocol's default, which suffices for the short messages of such a
  /// session. A greater value would let a peer without authentication send longer messages.
  public static final int DISCOVERY_SEGMENT = 8192;

  static final int MAX_OUTSTANDING_R2T = 65_535;

  private static final int SEGMENT = 262_144;
  private static final int BURST = 1_048_576;
  private static final int WINDOW = 128;

  public NegotiationLimits {
    within("MaxRecvDataSegmentLength", maxRecvDataSegmentLength, MIN_LENGTH, MAX_LENGTH);
    within("MaxBurstLength", maxBurstLength, MIN_LENGTH, MAX_LENGTH);
    within("FirstBurstLength", firstBurstLength, MIN_LENGTH, maxBurstLength);
    within("MaxOutstandingR2T", maxOutstandingR2T, 1, MAX_OUTSTANDING_R2T);
    within("Command window", commandWindow, 1, Integer.MAX_VALUE);
  }

  /// Returns the default limits: segments and first bursts of 256 KiB, bursts of 1 MiB, one
  /// outstanding R2T for each task, a window of 128 commands, optional digests, and CHAP with MD5
  /// accepted.
  public static NegotiationLimits defaults() {
    return new NegotiationLimits(SEGMENT, BURST, SEGMENT, 1, WINDOW, false, true);
  }

  /// Returns the MaxRecvDataSegmentLength that the target declares in a session of the given type.
  int maxRecvDataSegmentLength(SessionType type) {
    return switch (type) {
      case NORMAL -> maxRecvDataSegmentLength;
      case DISCOVERY -> Math.min(maxRecvDataSegmentLength, DISCOVERY_SEGMENT);
    };
  }

  private static void within(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": expected " + least + " to " + most + ", found " + value);
    }
  }
}
