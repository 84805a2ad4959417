package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.OperationCode;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Stores which initiator holds a logical unit whose access mode is [AccessMode#WRITE_EXCLUSIVE].
/// The name of the initiator identifies the holder. If the unit is free, the next command that uses
/// the medium makes its initiator the holder. The initiator is the holder until the last of its
/// sessions that use the unit ends. If this last session was lost without a logout, the initiator
/// remains the holder for a grace period. Thread-safe.
///
/// There is no timer: the grace period is checked when another initiator sends a command.
final class ExclusiveAccess {
  private final Duration grace;
  private volatile @Nullable Holder holder;

  /// The initiator that holds the unit.
  ///
  /// @param lostAt `System.nanoTime` at the loss of the initiator's last session that used the
  ///   unit; null while the initiator has such a session
  private record Holder(String initiatorName, @Nullable Long lostAt) {}

  ExclusiveAccess(Duration grace) {
    this.grace = grace;
  }

  /// Returns whether a command may run. A command that uses the medium acquires the unit if the
  /// unit is free.
  ///
  /// While an initiator holds the unit, a command of another initiator may run only if its
  /// [ReservationClass] is `UNAFFECTED` and the command is neither RESERVE nor PERSISTENT RESERVE
  /// OUT.
  boolean admits(ItlNexus itl, CommandEntry command) {
    if (!concerned(command)) {
      return true;
    }
    Holder now = holder;
    if (now != null && now.lostAt == null && now.initiatorName.equals(name(itl))) {
      return true;
    }
    return decide(name(itl), command.medium());
  }

  private static boolean concerned(CommandEntry command) {
    return command.affected() != ReservationClass.UNAFFECTED
        || switch (command.opcode()) {
          case OperationCode.RESERVE_6,
              OperationCode.RESERVE_10,
              OperationCode.PERSISTENT_RESERVE_OUT ->
              true;
          default -> false;
        };
  }

  private synchronized boolean decide(String name, boolean takes) {
    Holder now = holder;
    boolean free =
        now == null || (now.lostAt != null && System.nanoTime() - now.lostAt >= grace.toNanos());
    if (!free && now != null && !now.initiatorName.equals(name)) {
      return false;
    }
    if (takes) {
      holder = new Holder(name, null);
    }
    return true;
  }

  /// Records that a session uses the unit. If the session belongs to the holder, the grace period
  /// ends, and the holder keeps the unit.
  synchronized void attached(ItlNexus itl) {
    Holder now = holder;
    if (now != null && now.initiatorName.equals(name(itl))) {
      holder = new Holder(now.initiatorName, null);
    }
  }

  /// Records that a session no longer uses the unit.
  ///
  /// @param others the nexuses that still use the unit
  /// @param loggedOut false if the session was lost
  synchronized void left(ItlNexus itl, Set<Nexus> others, boolean loggedOut) {
    Holder now = holder;
    if (now == null || !now.initiatorName.equals(name(itl))) {
      return;
    }
    if (others.stream().noneMatch(other -> other.port().initiatorName().equals(name(itl)))) {
      holder = loggedOut ? null : new Holder(now.initiatorName, System.nanoTime());
    }
  }

  private static String name(ItlNexus itl) {
    return itl.nexus().port().initiatorName();
  }
}
