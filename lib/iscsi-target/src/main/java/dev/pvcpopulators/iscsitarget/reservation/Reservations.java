package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Nexus;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.Sense;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The reservations of a logical unit. Thread-safe. There are two kinds of reservations, which
/// exclude each other (SPC-2, section 5.5.1):
///
/// - RESERVE and RELEASE (SPC-2, sections 7.16 and 7.21): one nexus reserves the whole unit, until
///   the nexus releases the unit, the session of the nexus ends, or the unit is reset.
/// - PERSISTENT RESERVE (SPC-4, section 5.14): initiator ports register, and at most one
///   reservation exists. The registrations and the reservation remain when sessions end, but are
///   lost at a restart of the target.
///
/// SPEC_I_PT, APTPL, REGISTER AND MOVE, and REPLACE LOST RESERVATION are not supported.
public final class Reservations {
  /// The length in bytes of the basic parameter list of PERSISTENT RESERVE OUT (SPC-4, table 227).
  public static final int PARAMETER_LIST_LENGTH = 24;

  private static final int SERVICE_ACTION_FIELD = 1;
  private static final int SCOPE_AND_TYPE_FIELD = 2;
  private static final int SERVICE_ACTION_MASK = 0x1F;
  private static final int TYPE_MASK = 0x0F;
  private static final int SCOPE_SHIFT = 4;

  private static final int FLAGS_OFFSET = 20;
  private static final int SPEC_I_PT = 0x08;
  private static final int ALL_TG_PT = 0x04;
  private static final int APTPL = 0x01;

  private static final int ALL_TARGET_PORTS_CAPABLE = 0x04;
  private static final int TYPE_MASK_VALID = 0x80;
  private static final int REPORT_CAPABILITIES_LENGTH = 8;
  private static final int HEADER = 8;
  private static final int RESERVATION_DESCRIPTOR = 16;

  /// RESERVE, RELEASE, PREEMPT and PREEMPT_AND_ABORT are the service actions of PERSISTENT RESERVE
  /// OUT that evaluate TYPE and SCOPE.
  private static final int RESERVE = 1;

  private static final int RELEASE = 2;
  private static final int PREEMPT = 4;
  private static final int PREEMPT_AND_ABORT = 5;

  /// The nexus that holds the unit by the command RESERVE of SPC-2; null if there is none.
  private volatile @Nullable Nexus holder;

  private volatile ReservationState state = ReservationState.EMPTY;

  /// Whether the state has a persistent reservation.
  private volatile boolean persistent;

  /// Executes the command RESERVE of SPC-2.
  ///
  /// @return false if another nexus holds the unit, or any port is registered by PERSISTENT RESERVE
  public synchronized boolean reserve(Nexus nexus) {
    if (!state.registrations().isEmpty() || heldByOther(nexus)) {
      return false;
    }
    holder = nexus;
    return true;
  }

  /// Executes RELEASE. A RELEASE from a nexus that does not hold the unit changes nothing and is
  /// not an error.
  ///
  /// @return false if any port is registered by PERSISTENT RESERVE
  public synchronized boolean release(Nexus nexus) {
    if (!state.registrations().isEmpty()) {
      return false;
    }
    ended(nexus);
    return true;
  }

  /// Records that a nexus has ended. If this nexus holds the unit by RESERVE, the unit is released.
  public synchronized void ended(Nexus nexus) {
    if (holder == nexus) {
      holder = null;
    }
  }

  /// Applies a reset: if a nexus holds the unit by RESERVE, the unit is released. The registrations
  /// and the persistent reservation remain.
  public void reset() {
    holder = null;
  }

  /// Returns whether any nexus holds the unit by RESERVE.
  public boolean held() {
    return holder != null;
  }

  /// Returns whether another nexus holds the unit by RESERVE.
  public boolean heldByOther(Nexus nexus) {
    Nexus now = holder;
    return now != null && now != nexus;
  }

  /// Returns whether a command of a nexus conflicts with the persistent reservation.
  public boolean conflicts(Nexus nexus, ReservationClass affected) {
    return persistent && state.conflicts(nexus.port(), affected);
  }

  /// Executes PERSISTENT RESERVE OUT. If any nexus holds the unit by RESERVE, the command ends with
  /// RESERVATION CONFLICT.
  ///
  /// @param list the parameter list
  /// @throws CheckConditionException if the CDB is invalid, or the list has a wrong length or sets
  ///   SPEC_I_PT or APTPL
  public synchronized ReservationOutcome out(InitiatorPort port, ByteBuffer cdb, byte[] list)
      throws CheckConditionException {
    if (held()) {
      return ReservationOutcome.of(Response.RESERVATION_CONFLICT);
    }
    int action = cdb.get(SERVICE_ACTION_FIELD) & SERVICE_ACTION_MASK;
    ReserveRequest request = request(port, action, cdb, list);
    ReservationState.Step step =
        switch (action) {
          case 0 -> state.register(request, false);
          case RESERVE -> state.reserve(request);
          case RELEASE -> state.release(request);
          case 3 -> state.clear(request);
          case PREEMPT -> state.preempt(request, false);
          case PREEMPT_AND_ABORT -> state.preempt(request, true);
          case 6 -> state.register(request, true);
          default -> throw new CheckConditionException(Sense.invalidField(SERVICE_ACTION_FIELD));
        };
    state = step.next();
    persistent = state.reservation() != null;
    return step.outcome();
  }

  private static ReserveRequest request(InitiatorPort port, int action, ByteBuffer cdb, byte[] list)
      throws CheckConditionException {
    int scopeAndType = cdb.get(SCOPE_AND_TYPE_FIELD) & 0xFF;
    ReservationType type = ReservationType.of(scopeAndType & TYPE_MASK);
    boolean typed =
        action == RESERVE || action == RELEASE || action == PREEMPT || action == PREEMPT_AND_ABORT;
    if (typed && (type == null || scopeAndType >> SCOPE_SHIFT != 0)) {
      throw new CheckConditionException(Sense.invalidField(SCOPE_AND_TYPE_FIELD));
    }
    if (list.length < PARAMETER_LIST_LENGTH) {
      throw CheckConditionException.listLength();
    }
    ByteBuffer fields = ByteBuffer.wrap(list);
    int flags = fields.get(FLAGS_OFFSET);
    if ((flags & (SPEC_I_PT | APTPL)) != 0) {
      throw CheckConditionException.listField();
    }
    if (list.length != PARAMETER_LIST_LENGTH) {
      throw CheckConditionException.listLength();
    }
    return new ReserveRequest(
        port,
        fields.getLong(0),
        fields.getLong(Long.BYTES),
        type == null ? ReservationType.WRITE_EXCLUSIVE : type,
        (flags & ALL_TG_PT) != 0);
  }

  /// Returns the parameter data of PERSISTENT RESERVE IN.
  ///
  /// @throws CheckConditionException for an unknown service action
  public byte[] in(ByteBuffer cdb) throws CheckConditionException {
    ReservationState now = state;
    return switch (cdb.get(SERVICE_ACTION_FIELD) & SERVICE_ACTION_MASK) {
      case 0 -> keys(now);
      case 1 -> reservation(now);
      case 2 -> capabilities();
      case 3 -> fullStatus(now);
      default -> throw new CheckConditionException(Sense.invalidField(SERVICE_ACTION_FIELD));
    };
  }

  private static byte[] keys(ReservationState now) {
    byte[] data = new byte[HEADER + now.registrations().size() * Long.BYTES];
    ByteBuffer into = header(data, now);
    now.registrations().values().forEach(registration -> into.putLong(registration.key()));
    return data;
  }

  /// Writes PRGENERATION and ADDITIONAL LENGTH; the caller writes the rest.
  private static ByteBuffer header(byte[] data, ReservationState now) {
    return ByteBuffer.wrap(data).putInt(now.generation()).putInt(data.length - HEADER);
  }

  private static byte[] reservation(ReservationState now) {
    Reservation held = now.reservation();
    byte[] data = new byte[HEADER + (held == null ? 0 : RESERVATION_DESCRIPTOR)];
    ByteBuffer into = header(data, now);
    if (held != null) {
      Registration holder = now.registrations().get(held.holder());
      into.putLong(held.type().allRegistrants() || holder == null ? 0 : holder.key());
      into.putInt(0); // obsolete
      into.put((byte) 0);
      into.put((byte) held.type().code());
    }
    return data;
  }

  private static byte[] capabilities() {
    int mask = 0;
    for (ReservationType type : ReservationType.values()) {
      mask |= type.maskBit();
    }
    return ByteBuffer.allocate(REPORT_CAPABILITIES_LENGTH)
        .putShort((short) REPORT_CAPABILITIES_LENGTH)
        .put((byte) ALL_TARGET_PORTS_CAPABLE)
        .put((byte) TYPE_MASK_VALID)
        .putShort((short) mask)
        .array();
  }

  private static byte[] fullStatus(ReservationState now) {
    int length =
        now.registrations().keySet().stream()
            .mapToInt(port -> FullStatusDescriptor.length(port))
            .sum();
    byte[] data = new byte[HEADER + length];
    ByteBuffer into = header(data, now);
    for (Map.Entry<InitiatorPort, Registration> each : now.registrations().entrySet()) {
      Reservation held = now.holds(each.getKey()) ? now.reservation() : null;
      FullStatusDescriptor.write(into, each.getKey(), each.getValue(), held);
    }
    return data;
  }
}
