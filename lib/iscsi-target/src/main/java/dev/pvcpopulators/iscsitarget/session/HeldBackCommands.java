package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Commands that came before one with a lower CmdSN: they are delivered when that has come (RFC
/// 7143, section 4.2.2.1). Bounded. For the connection's thread.
final class HeldBackCommands {
  /// Stands for a command that is to do nothing when its turn comes.
  private static final ReceivedPdu CANCELLED =
      new ReceivedPdu(PduOutput.NOTHING, PduOutput.NOTHING, true);

  private final Map<Integer, ReceivedPdu> byCmdSn = new HashMap<>();
  private int bytes;

  boolean isEmpty() {
    return byCmdSn.isEmpty();
  }

  /// Keeps a copy. A second one of the same number is ignored.
  ///
  /// @param pdu in the command window
  /// @throws MalformedPduException where there would be too much to keep
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

  /// The command of that number is not to be delivered, whether it has come or will come.
  ///
  /// @param cmdSn in the command window
  void cancel(int cmdSn) {
    take(cmdSn);
    byCmdSn.put(cmdSn, CANCELLED);
  }

  /// Gives the command of that number away.
  ///
  /// @return null where it has not come; of no length where it was cancelled
  @Nullable ReceivedPdu take(int cmdSn) {
    ReceivedPdu pdu = byCmdSn.remove(cmdSn);
    if (pdu != null) {
      bytes -= pdu.length();
    }
    return pdu;
  }
}
