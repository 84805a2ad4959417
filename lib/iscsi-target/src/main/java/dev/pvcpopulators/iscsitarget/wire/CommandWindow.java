package dev.pvcpopulators.iscsitarget.wire;

import dev.pvcpopulators.iscsitarget.pdu.SerialNumber;
import java.util.concurrent.atomic.AtomicInteger;

/// The command numbering of a session (RFC 7143, section 4.2.2.1): the next expected CmdSN, and the
/// greatest one that the initiator may send. The window advances by one with each command that has
/// ended, so that at most its size are in progress.
///
/// [#place] is for the connection's thread, the rest for any thread.
public final class CommandWindow {
  /// The position of a command in the window.
  public enum Place {
    /// The expected command; it now counts as received.
    NEXT,
    /// An earlier command is still missing.
    LATER,
    /// Not in the window: it is ignored silently.
    OUTSIDE
  }

  private final AtomicInteger expCmdSn;
  private final AtomicInteger maxCmdSn;

  /// Creates a window at the start of a session.
  ///
  /// @param expCmdSn the number of the session's first command
  /// @param size the maximum number of commands in progress
  public CommandWindow(int expCmdSn, int size) {
    this.expCmdSn = new AtomicInteger(expCmdSn);
    this.maxCmdSn = new AtomicInteger(expCmdSn + size - 1);
  }

  /// Returns the position of a non-immediate command.
  public Place place(int cmdSn) {
    int expected = expCmdSn.get();
    if (!SerialNumber.within(cmdSn, expected, maxCmdSn.get())) {
      return Place.OUTSIDE;
    }
    if (cmdSn != expected) {
      return Place.LATER;
    }
    expCmdSn.set(expected + 1);
    return Place.NEXT;
  }

  /// Advances the window after a non-immediate command has ended.
  public void ended() {
    maxCmdSn.incrementAndGet();
  }

  public int expCmdSn() {
    return expCmdSn.get();
  }

  public int maxCmdSn() {
    return maxCmdSn.get();
  }
}
