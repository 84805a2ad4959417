package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.inquiry.LunField;
import dev.pvcpopulators.iscsitarget.inquiry.LunInventory;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A SCSI target device with one target port: decides which logical units an initiator sees, and
/// dispatches the commands of initiators. Thread-safe.
public final class ScsiTarget implements LunInventory {
  private static final Logger LOG = System.getLogger(ScsiTarget.class.getName());

  /// The log of exceptions that prevent access to the logical unit of a command. The log is
  /// rate-limited, because each command of any initiator can cause such an exception.
  private static final LogRate NOT_GIVEN = new LogRate(LOG, Level.ERROR);

  private final Map<Integer, Offer> offers = new ConcurrentSkipListMap<>();

  /// For each nexus, the logical units that the nexus has addressed, by LUN.
  private final Map<Nexus, Map<Integer, ItlNexus>> attached = new ConcurrentHashMap<>();

  private record Offer(
      Predicate<Nexus> visible, Function<Nexus, LogicalUnit> unit, Consumer<Nexus> left) {}

  /// Adds a logical unit. An attached nexus that sees the unit gets the unit attention 3Fh/0Eh,
  /// REPORTED LUNS DATA HAS CHANGED, on each logical unit that the nexus has addressed.
  ///
  /// @param lun 0 to 16,383
  /// @param visible returns whether a nexus sees the unit; if not, the unit does not exist for this
  ///   nexus
  /// @param unit returns the logical unit for a nexus, usually the same unit for all nexuses. The
  ///   function is called when the nexus first addresses the LUN, and again only if the previous
  ///   call threw an exception. The function must not return the same logical unit for two LUNs of
  ///   one nexus
  /// @throws IllegalArgumentException if the LUN is out of range or in use
  public void add(int lun, Predicate<Nexus> visible, Function<Nexus, LogicalUnit> unit) {
    add(lun, visible, unit, _ -> {});
  }

  /// Adds a logical unit like [#add(int, Predicate, Function)]. Also sets a listener for the end of
  /// each session that used the unit.
  ///
  /// @param left called when the logical unit has released the state of the session; not called
  ///   after [#remove]
  public void add(
      int lun, Predicate<Nexus> visible, Function<Nexus, LogicalUnit> unit, Consumer<Nexus> left) {
    if (lun < 0 || lun > LunField.GREATEST) {
      throw new IllegalArgumentException("LUN " + lun + " is not within 0 to 16383");
    }
    Offer offer = new Offer(visible, unit, left);
    if (offers.putIfAbsent(lun, offer) != null) {
      throw new IllegalArgumentException("LUN " + lun + " is taken");
    }
    lunsChanged(offer);
  }

  private void lunsChanged(Offer offer) {
    attached.forEach((nexus, units) -> {
      if (offer.visible().test(nexus)) {
        units.values().forEach(itl -> itl.attend(UnitAttention.REPORTED_LUNS_DATA_CHANGED));
      }
    });
  }

  /// Removes a logical unit and aborts its commands. The caller closes the [LogicalUnit] objects
  /// that the `unit` function of `add` returned.
  public void remove(int lun) {
    Offer offer = offers.remove(lun);
    if (offer == null) {
      return;
    }
    for (Map<Integer, ItlNexus> units : attached.values()) {
      ItlNexus itl = units.remove(lun);
      if (itl != null) {
        itl.unit().detach(itl, true);
      }
    }
    lunsChanged(offer);
  }

  @Override
  public List<Integer> luns(Nexus nexus) {
    return offers.entrySet().stream()
        .filter(offer -> offer.getValue().visible().test(nexus))
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  public void reported(Nexus nexus) {
    Map<Integer, ItlNexus> units = attached.get(nexus);
    if (units != null) {
      units.values().forEach(itl -> itl.clearAttention(UnitAttention.REPORTED_LUNS_DATA_CHANGED));
    }
  }

  /// Records a new session: its nexus gets the unit attention 29h/00h on each logical unit.
  public void attach(Nexus nexus) {
    attached.putIfAbsent(nexus, new ConcurrentHashMap<>());
  }

  /// Records the end of a session: aborts its tasks, and releases the reservations that the session
  /// made by RESERVE. If the initiator logged out and no other session of the initiator uses a
  /// logical unit, the initiator's WRITE_EXCLUSIVE access to this unit is released, too. The caller
  /// must not dispatch a command of the session afterwards.
  ///
  /// @param loggedOut false if the session was lost: the initiator then keeps WRITE_EXCLUSIVE
  ///   access for [UnitOptions#exclusiveGrace]
  public void detach(Nexus nexus, boolean loggedOut) {
    Map<Integer, ItlNexus> units = attached.remove(nexus);
    if (units != null) {
      units.forEach((lun, itl) -> {
        itl.unit().detach(itl, loggedOut);
        Offer offer = offers.get(lun);
        if (offer != null) {
          offer.left().accept(nexus);
        }
      });
    }
  }

  /// Dispatches a command. A command for a logical unit stays in the unit's task set until
  /// [UnitTask#run] ends, or [UnitTask#drop] or [UnitTask#expire] is called.
  ///
  /// @param lun the 8 bytes of the PDU's LUN field (SAM-5, section 4.7)
  public void dispatch(UnitTask task, long lun) {
    int number = LunField.number(lun);
    ItlNexus itl;
    try {
      itl = itl(task.nexus(), number);
    } catch (RuntimeException e) {
      NOT_GIVEN.log("LUN {0} cannot be used by {1}: {2}", number, task.nexus(), e);
      task.dispatchedOutside(_ -> CommandOutcomes.INTERNAL_TARGET_FAILURE);
      return;
    }
    if (itl == null) {
      task.dispatchedOutside(new AbsentUnit(number == LunField.REPORT_LUNS, this));
    } else {
      task.dispatched(itl);
    }
  }

  /// Returns a nexus's state for a LUN; null if the nexus is not attached, or sees no logical unit
  /// with this LUN.
  private @Nullable ItlNexus itl(Nexus nexus, int number) {
    Map<Integer, ItlNexus> units = attached.get(nexus);
    if (units == null || number < 0) {
      return null;
    }
    ItlNexus itl = units.get(number);
    return itl == null ? units.computeIfAbsent(number, lun -> attach(nexus, lun)) : itl;
  }

  private @Nullable ItlNexus attach(Nexus nexus, int lun) {
    Offer offer = offers.get(lun);
    return offer == null || !offer.visible().test(nexus)
        ? null
        : offer.unit().apply(nexus).attach(nexus, this);
  }

  /// Executes a task management function that concerns more than one task (SAM-5, section 7); the
  /// session handles ABORT TASK itself.
  public TaskManagementAnswer manage(Nexus nexus, TaskManagement function, long lun) {
    try {
      return carryOut(nexus, function, lun);
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, function + " for " + nexus + " failed", e);
      return TaskManagementAnswer.REJECTED;
    }
  }

  private TaskManagementAnswer carryOut(Nexus nexus, TaskManagement function, long lun) {
    return switch (function) {
      case CLEAR_ACA -> TaskManagementAnswer.NOT_SUPPORTED;
      case TARGET_WARM_RESET, TARGET_COLD_RESET -> {
        for (int number : luns(nexus)) {
          ItlNexus itl = itl(nexus, number);
          if (itl != null) {
            itl.unit().reset(UnitAttention.SCSI_BUS_RESET);
          }
        }
        yield TaskManagementAnswer.COMPLETE;
      }
      case ABORT_TASK_SET -> manage(nexus, lun, itl -> itl.unit().abortTaskSet(itl));
      case CLEAR_TASK_SET -> manage(nexus, lun, itl -> itl.unit().clearTaskSet(itl));
      case LOGICAL_UNIT_RESET ->
          manage(nexus, lun, itl -> itl.unit().reset(UnitAttention.BUS_DEVICE_RESET_FUNCTION));
    };
  }

  private TaskManagementAnswer manage(Nexus nexus, long lun, Consumer<ItlNexus> function) {
    ItlNexus itl = itl(nexus, LunField.number(lun));
    if (itl == null) {
      return TaskManagementAnswer.NO_SUCH_LUN;
    }
    function.accept(itl);
    return TaskManagementAnswer.COMPLETE;
  }

  /// Returns a future that completes when the aborted commands of other nexuses can no longer
  /// change blocks. Called after [#manage], which aborts the commands. The caller itself waits for
  /// the end of the aborted commands of `nexus`. So for ABORT TASK SET, which aborts only such
  /// commands, the future is already complete.
  public CompletableFuture<Void> changesEnded(Nexus nexus, TaskManagement function, long lun) {
    Map<Integer, ItlNexus> units = attached.getOrDefault(nexus, Map.of());
    Stream<ItlNexus> managed =
        switch (function) {
          case ABORT_TASK_SET, CLEAR_ACA -> Stream.empty();
          case CLEAR_TASK_SET, LOGICAL_UNIT_RESET ->
              Stream.ofNullable(units.get(LunField.number(lun)));
          case TARGET_WARM_RESET, TARGET_COLD_RESET -> units.values().stream();
        };
    return CompletableFuture.allOf(
        managed.map(itl -> itl.unit().block.changesEnded()).toArray(CompletableFuture[]::new));
  }
}
