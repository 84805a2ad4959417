package dev.pvcpopulators.iscsitarget.wire;

import dev.pvcpopulators.iscsitarget.pdu.MalformedPduException;
import dev.pvcpopulators.iscsitarget.pdu.PduFormat.SequenceNumbers;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// The command window of a session (RFC 7143, section 4.2.2.1): the range from the next expected
/// CmdSN (ExpCmdSN) to the greatest CmdSN that the initiator may send (MaxCmdSN). This class also
/// holds the commands that arrived before a command with a lower CmdSN. MaxCmdSN increases by one
/// when a non-immediate command ends, so the initial size of the window limits the number of
/// non-immediate commands in progress. Numbers are compared as serial numbers of 32 bits (RFC
/// 1982).
///
/// Any thread may call [#ended] and [#numbers]. Only the connection's thread calls the other
/// methods.
public final class CommandWindow {
  /// A placeholder for a command that was cancelled before its delivery.
  private static final ReceivedPdu CANCELLED =
      new ReceivedPdu(ByteBuffer.allocate(0), ByteBuffer.allocate(0), true);

  private final AtomicInteger expCmdSn;
  private final AtomicInteger maxCmdSn;
  private final int mostBytes;
  private final Map<Integer, ReceivedPdu> early = new HashMap<>();
  private int bytes;

  /// The position of a command in the window.
  public enum Place {
    /// The expected command, which now counts as received.
    NEXT,
    /// A command with a lower CmdSN has not arrived yet.
    LATER,
    /// The CmdSN is not in the window: the caller ignores the command silently.
    OUTSIDE
  }

  /// Creates a window at the start of a session.
  ///
  /// @param expCmdSn the number of the session's first command
  /// @param size the maximum number of non-immediate commands in progress
  /// @param mostBytes the maximum total size in bytes of the commands that wait for a command with
  ///   a lower CmdSN
  public CommandWindow(int expCmdSn, int size, int mostBytes) {
    this.expCmdSn = new AtomicInteger(expCmdSn);
    this.maxCmdSn = new AtomicInteger(expCmdSn + size - 1);
    this.mostBytes = mostBytes;
  }

  /// Returns the position of a non-immediate command. If the command is the expected command, also
  /// advances ExpCmdSN.
  public Place place(int cmdSn) {
    if (!contains(cmdSn)) {
      return Place.OUTSIDE;
    }
    int expected = expCmdSn.get();
    if (cmdSn != expected) {
      return Place.LATER;
    }
    expCmdSn.set(expected + 1);
    return Place.NEXT;
  }

  /// Returns whether the initiator may send a command with this number now.
  public boolean contains(int cmdSn) {
    return expCmdSn.get() - cmdSn <= 0 && cmdSn - maxCmdSn.get() <= 0;
  }

  /// Returns whether this window holds commands, or placeholders of cancelled commands, for a later
  /// delivery.
  public boolean holds() {
    return !early.isEmpty();
  }

  /// Keeps a copy of a command whose position is [Place#LATER]. A second command with the same
  /// number is ignored.
  ///
  /// @throws MalformedPduException if all kept commands together, including this command, have more
  ///   than `mostBytes` bytes
  public void hold(ReceivedPdu pdu) throws MalformedPduException {
    if (early.containsKey(pdu.cmdSn())) {
      return;
    }
    bytes += pdu.length();
    if (bytes > mostBytes) {
      throw new MalformedPduException("CmdSN", "commands in their order", pdu.cmdSn());
    }
    early.put(pdu.cmdSn(), pdu.copy());
  }

  /// Cancels a command that has not been delivered, whether the command has arrived or not.
  ///
  /// @param cmdSn the number of the command, in the window
  public void cancel(int cmdSn) {
    take(cmdSn);
    early.put(cmdSn, CANCELLED);
  }

  /// Removes and returns the expected command if [#hold] has kept it. The command then counts as
  /// received.
  ///
  /// @return null if the expected command has not arrived; a PDU of length 0 if it was cancelled
  public @Nullable ReceivedPdu next() {
    ReceivedPdu pdu = take(expCmdSn.get());
    if (pdu != null) {
      expCmdSn.incrementAndGet();
    }
    return pdu;
  }

  private @Nullable ReceivedPdu take(int cmdSn) {
    ReceivedPdu pdu = early.remove(cmdSn);
    if (pdu != null) {
      bytes -= pdu.length();
    }
    return pdu;
  }

  /// Increases MaxCmdSN by one after a non-immediate command has ended.
  public void ended() {
    maxCmdSn.incrementAndGet();
  }

  /// Returns the sequence numbers for a PDU with the given StatSN.
  public SequenceNumbers numbers(int statSn) {
    return new SequenceNumbers(statSn, expCmdSn.get(), maxCmdSn.get());
  }
}
