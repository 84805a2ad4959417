package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.iscsitarget.pdu.SerialNumber;
import java.util.concurrent.atomic.AtomicInteger;

/// The numbering of a session's commands (RFC 7143, section 4.2.2.1): which one is expected next,
/// and up to which the initiator may send. The window moves on by one with each command that has
/// ended, so that no more than its size are under way.
///
/// The connection's thread asks [#place]; the rest is for any thread.
final class CommandWindow {
  /// What a command's number means.
  enum Place {
    /// It is the next one, and now counts as received.
    NEXT,
    /// Another one has to come first.
    LATER,
    /// Not in the window: it is ignored without a word.
    OUTSIDE
  }

  private final AtomicInteger expCmdSn;
  private final AtomicInteger maxCmdSn;

  /// @param expCmdSn the number of the session's first command
  /// @param size how many commands may be under way
  CommandWindow(int expCmdSn, int size) {
    this.expCmdSn = new AtomicInteger(expCmdSn);
    this.maxCmdSn = new AtomicInteger(expCmdSn + size - 1);
  }

  /// Finds out about a non-immediate command.
  Place place(int cmdSn) {
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

  /// A non-immediate command has ended.
  void ended() {
    maxCmdSn.incrementAndGet();
  }

  int expCmdSn() {
    return expCmdSn.get();
  }

  int maxCmdSn() {
    return maxCmdSn.get();
  }
}
