package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.wire.ReceivedPdu;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Commands that arrived before one with a lower CmdSN: they are delivered after it (RFC 7143,
/// section 4.2.2.1). Bounded. For the connection's thread.
final class HeldBackCommands {
  /// A placeholder for a command that was cancelled before its delivery.
  private static final ReceivedPdu CANCELLED =
      new ReceivedPdu(PduOutput.NOTHING, PduOutput.NOTHING, true);

  private final Map<Integer, ReceivedPdu> byCmdSn = new HashMap<>();
  private int bytes;

  boolean isEmpty() {
    return byCmdSn.isEmpty();
  }

  /// Keeps a copy. A second command with the same number is ignored.
  ///
  /// @param pdu in the command window
  /// @throws MalformedPduException if there is too much to keep
  void hold(ReceivedPdu pdu) throws MalformedPduException {
    if (byCmdSn.containsKey(pdu.cmdSn())) {
      return;
    }
    bytes += pdu.length();
    if (bytes > SessionLimits.MAX_HELD_BACK) {
      throw new MalformedPduException("CmdSN", "commands in their order", pdu.cmdSn());
    }
    byCmdSn.put(pdu.cmdSn(), pdu.copy());
  }

  /// Cancels the command with a number, whether it has arrived or not.
  ///
  /// @param cmdSn in the command window
  void cancel(int cmdSn) {
    take(cmdSn);
    byCmdSn.put(cmdSn, CANCELLED);
  }

  /// Removes and returns the command with a number.
  ///
  /// @return null if it has not arrived; of length 0 if it was cancelled
  @Nullable ReceivedPdu take(int cmdSn) {
    ReceivedPdu pdu = byCmdSn.remove(cmdSn);
    if (pdu != null) {
      bytes -= pdu.length();
    }
    return pdu;
  }
}
