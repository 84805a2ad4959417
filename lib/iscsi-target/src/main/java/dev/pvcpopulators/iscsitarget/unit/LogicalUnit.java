package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.block.BlockDevice;
import dev.pvcpopulators.iscsitarget.block.access.BlockOptions;
import dev.pvcpopulators.iscsitarget.copy.CopyLimits;
import dev.pvcpopulators.iscsitarget.copy.CopyResults;
import dev.pvcpopulators.iscsitarget.copy.ExtendedCopy;
import dev.pvcpopulators.iscsitarget.inquiry.Inquiry;
import dev.pvcpopulators.iscsitarget.inquiry.LunInventory;
import dev.pvcpopulators.iscsitarget.inquiry.UnitIdentity;
import dev.pvcpopulators.iscsitarget.inquiry.VitalProductData;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.iscsitarget.mode.ModeSelect;
import dev.pvcpopulators.iscsitarget.mode.ModeSense;
import dev.pvcpopulators.iscsitarget.mode.ModeState;
import dev.pvcpopulators.iscsitarget.reservation.ReservationOutcome;
import dev.pvcpopulators.iscsitarget.reservation.Reservations;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry;
import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Task;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A logical unit: its task set, reservations, mode pages and unit attentions, and its block
/// device. Thread-safe.
public final class LogicalUnit implements AutoCloseable {
  private static final Logger LOG = System.getLogger(LogicalUnit.class.getName());

  /// The maximum time that [#close] waits for the end of all commands.
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final Medium medium;
  private final UnitOptions options;
  final BlockDevice block;
  private final ModeState modes;
  final CommandTable table;
  final Admission admission;
  private final @Nullable ExclusiveAccess exclusive;
  final Reservations reservations = new Reservations();
  final TaskSet taskSet = new TaskSet();
  final CommandOutcomes outcomes;
  private final Map<Nexus, ItlNexus> nexuses = new ConcurrentHashMap<>();

  /// Creates a logical unit without an observer.
  ///
  /// @param medium the unit owns the medium from now on, unless [UnitOptions#sharesMedium] is true
  public LogicalUnit(Medium medium, UnitOptions options) {
    this(medium, options, CommandObserver.NONE);
  }

  /// Creates a logical unit.
  ///
  /// @param medium the unit owns the medium from now on, unless [UnitOptions#sharesMedium] is true
  /// @param observer receives the outcomes of commands
  public LogicalUnit(Medium medium, UnitOptions options, CommandObserver observer) {
    this.medium = medium;
    this.options = options;
    boolean writeProtected = options.access() == AccessMode.READ_SHARED || !medium.writable();
    this.block =
        new BlockDevice(medium, new BlockOptions(writeProtected, options.removable(), true));
    this.modes = new ModeState(block);
    this.exclusive =
        options.access() == AccessMode.WRITE_EXCLUSIVE
            ? new ExclusiveAccess(options.exclusiveGrace())
            : null;
    this.outcomes = new CommandOutcomes(options.identity(), observer);
    this.table = table();
    this.admission = new Admission(table, block, reservations, exclusive);
  }

  private CommandTable table() {
    UnitIdentity identity = new UnitIdentity(options.identity());
    ModeSelect select = new ModeSelect(modes, medium.length() / BlockDevice.BLOCK);
    PrimaryCommands primary = new PrimaryCommands(this, new ModeSense(modes, block), select);
    Inquiry inquiry =
        new Inquiry(
            Inquiry.DIRECT_ACCESS,
            options.removable(),
            options.product(),
            new VitalProductData(identity, block, CopyLimits.thirdPartyCopyPage()));
    List<CommandEntry> commands = new ArrayList<>();
    commands.addAll(primary.discovery(inquiry, new SupportedOperationCodes(() -> table)));
    commands.addAll(primary.control());
    commands.addAll(primary.persistentReserve());
    List<CommandEntry> copy =
        primary.thirdPartyCopy(new ExtendedCopy(block, identity, this::copyResults));
    copy.forEach(entry -> commands.add(entry.onMedium()));
    block.commands().forEach(entry -> commands.add(entry.onMedium()));
    return new CommandTable(commands);
  }

  public UnitOptions options() {
    return options;
  }

  public Medium medium() {
    return medium;
  }

  /// Returns the current statistics for monitoring.
  public UnitStatistics statistics() {
    return outcomes.statistics((int) taskSet.tasks().stream().filter(UnitTask::waits).count());
  }

  /// Disables the unit permanently, and aborts all tasks. Later commands that use the medium, and
  /// TEST UNIT READY, end with NOT READY, MANUAL INTERVENTION REQUIRED. The sessions continue.
  ///
  /// @param reason for logs
  public void fail(String reason) {
    if (admission.fail(reason)) {
      LOG.log(Level.ERROR, "The logical unit " + options.identity() + " has failed: " + reason);
    }
    abort(task -> true, true);
  }

  /// Disables the unit like [#fail], flushes the medium, and closes the medium if it is not shared.
  @Override
  public void close() {
    admission.fail("closed");
    abort(task -> true, true);
    taskSet.awaitEmpty(CLOSE_TIMEOUT);
    try (Closeable _ = options.sharesMedium() ? () -> {} : medium) {
      medium.flush();
    } catch (IOException e) {
      // No stack trace: the message of the storage is enough. An initiator that requested a flush
      // has already received the result of that flush.
      LOG.log(Level.WARNING, "Closing the logical unit " + options.identity() + ": " + e);
    }
  }

  /// Attaches a nexus, and returns the state that this unit keeps for the nexus.
  ItlNexus attach(Nexus nexus, LunInventory inventory) {
    ItlNexus itl = nexuses.computeIfAbsent(nexus, key -> new ItlNexus(key, this, inventory));
    if (exclusive != null) {
      exclusive.attached(itl);
    }
    return itl;
  }

  /// Detaches a nexus and aborts its tasks. Also releases the session's reservation by RESERVE and
  /// its prevention of medium removal. If no other session of the initiator uses the unit, the
  /// exclusive access of the initiator ends, too. After a logout, the access ends immediately. If
  /// the session was lost, the access ends after [UnitOptions#exclusiveGrace], unless the initiator
  /// uses the unit again before that time.
  ///
  /// @param loggedOut false if the session of the nexus was lost
  void detach(ItlNexus itl, boolean loggedOut) {
    nexuses.remove(itl.nexus());
    abort(task -> task.itl() == itl, false);
    reservations.ended(itl.nexus());
    block.detach(itl.nexus());
    if (exclusive != null) {
      exclusive.left(itl, nexuses.keySet(), loggedOut);
    }
  }

  /// Aborts the tasks of a nexus.
  void abortTaskSet(ItlNexus itl) {
    abort(task -> task.itl() == itl, false);
  }

  /// Aborts the tasks of all nexuses. The nexuses of the aborted tasks are notified, except the
  /// nexus that requested CLEAR TASK SET (SAM-5, section 5.6).
  ///
  /// @param by the nexus that requested CLEAR TASK SET
  void clearTaskSet(ItlNexus by) {
    boolean answered = modes.current().taskAbortedStatus();
    Set<ItlNexus> others = new HashSet<>();
    for (UnitTask task : taskSet.tasks()) {
      boolean own = task.itl() == by;
      task.abort(!own && answered);
      if (!own) {
        others.add(task.itl());
      }
    }
    if (!answered) {
      others.forEach(other -> other.attend(UnitAttention.COMMANDS_CLEARED_BY_ANOTHER_INITIATOR));
    }
  }

  /// Resets the logical unit (SAM-5, section 6.3.3); persistent reservations stay.
  ///
  /// @param attention the unit attention for all nexuses
  void reset(UnitAttention attention) {
    abort(task -> true, false);
    reservations.reset();
    modes.reset();
    attend(attention, null);
  }

  private void abort(Predicate<UnitTask> chosen, boolean tell) {
    for (UnitTask task : taskSet.tasks()) {
      if (chosen.test(task)) {
        task.abort(tell);
      }
    }
  }

  /// Posts a unit attention to all nexuses except `except`.
  ///
  /// @param except the nexus that needs no notification; null if there is none
  void attend(UnitAttention attention, @Nullable Nexus except) {
    for (ItlNexus itl : nexuses.values()) {
      if (itl.nexus() != except) {
        itl.attend(attention);
      }
    }
  }

  /// Applies the consequences of a PERSISTENT RESERVE OUT command: posts unit attentions to other
  /// nexuses and aborts tasks. When this method returns, the aborted tasks can no longer change
  /// blocks. The initiator of a PREEMPT AND ABORT needs this guarantee, because after the status
  /// GOOD the initiator may write the blocks of the aborted tasks. This method may wait for a slow
  /// medium.
  ///
  /// @return the response to the command
  Response carryOut(ReservationOutcome outcome, Task by) {
    for (ItlNexus itl : nexuses.values()) {
      UnitAttention attention = outcome.attentions().get(itl.nexus().port());
      if (attention != null && itl.nexus() != by.nexus()) {
        itl.attend(attention);
      }
    }
    if (!outcome.abort().isEmpty()) {
      boolean answered = modes.current().taskAbortedStatus();
      for (UnitTask task : taskSet.tasks()) {
        InitiatorPort port = task.itl().nexus().port();
        if (!task.equals(by) && outcome.abort().contains(port)) {
          task.abort(answered && task.itl().nexus() != by.nexus());
        }
      }
      block.changesEnded().join();
    }
    return outcome.response();
  }

  /// Returns the state for a nexus; null if the nexus is not attached.
  @Nullable ItlNexus itl(Nexus nexus) {
    return nexuses.get(nexus);
  }

  private @Nullable CopyResults copyResults(Nexus nexus) {
    ItlNexus itl = nexuses.get(nexus);
    return itl == null ? null : itl.copyResults();
  }
}
