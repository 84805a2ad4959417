package dev.pvcpopulators.iscsitarget.reservation;

import dev.pvcpopulators.iscsitarget.scsi.CheckConditionException;
import dev.pvcpopulators.iscsitarget.scsi.CommandEntry.ReservationClass;
import dev.pvcpopulators.iscsitarget.scsi.InitiatorPort;
import dev.pvcpopulators.iscsitarget.scsi.Response;
import dev.pvcpopulators.iscsitarget.scsi.SenseKey;
import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The persistent reservations of a logical unit as an immutable state, with methods for the
/// service actions (SPC-4, section 5.14). Each of these methods returns the next state and the
/// outcome of the command.
///
/// @param generation PRGENERATION, which counts registrations, unregistrations, clears and
///   preemptions, but not reservations and releases
/// @param registrations the registrations, in the order of their arrival; unmodifiable
record ReservationState(
    int generation,
    Map<InitiatorPort, Registration> registrations,
    @Nullable Reservation reservation) {
  /// The maximum number of registrations. This number of registrations takes less than 100 KiB.
  static final int MOST_REGISTRATIONS = 128;

  static final ReservationState EMPTY = new ReservationState(0, Map.of(), null);

  private static final int INSUFFICIENT_REGISTRATION_RESOURCES = 0x5504;
  private static final int INVALID_RELEASE = 0x2604;

  /// The state after a command, and the outcome of the command.
  record Step(ReservationState next, ReservationOutcome outcome) {}

  /// Returns whether the reservation conflicts with a command of a port.
  boolean conflicts(InitiatorPort port, ReservationClass affected) {
    Reservation held = reservation;
    if (held == null || holds(held, port)) {
      return false;
    }
    if (held.type().admitsRegistrants() && registrations.containsKey(port)) {
      return false;
    }
    return switch (affected) {
      case UNAFFECTED -> false;
      case READ -> held.type().exclusiveAccess();
      case WRITE -> true;
    };
  }

  /// Returns whether a port holds the current reservation.
  boolean holds(InitiatorPort port) {
    return reservation != null && holds(reservation, port);
  }

  private boolean holds(Reservation held, InitiatorPort port) {
    return held.type().allRegistrants()
        ? registrations.containsKey(port)
        : held.holder().equals(port);
  }

  /// Executes REGISTER, and REGISTER AND IGNORE EXISTING KEY (SPC-4, section 5.14.7).
  Step register(ReserveRequest request, boolean ignoreKey) {
    Registration present = registrations.get(request.port());
    long expected = present == null ? 0 : present.key();
    if (!ignoreKey && request.key() != expected) {
      return conflict();
    }
    if (request.serviceActionKey() == 0) {
      return present == null ? good() : unregister(request.port());
    }
    if (present == null && registrations.size() >= MOST_REGISTRATIONS) {
      return refuse(INSUFFICIENT_REGISTRATION_RESOURCES);
    }
    Map<InitiatorPort, Registration> next = new LinkedHashMap<>(registrations);
    next.put(
        request.port(), new Registration(request.serviceActionKey(), request.allTargetPorts()));
    return new Step(
        new ReservationState(generation + 1, Collections.unmodifiableMap(next), reservation),
        ReservationOutcome.GOOD);
  }

  /// Unregisters a port (section 5.14.11.3). If the port holds the reservation, the reservation is
  /// released. But a reservation for all registrants remains until the last registrant is
  /// unregistered.
  private Step unregister(InitiatorPort port) {
    Map<InitiatorPort, Registration> left = new LinkedHashMap<>(registrations);
    left.remove(port);
    Reservation held = reservation;
    boolean released =
        held != null && holds(held, port) && (!held.type().allRegistrants() || left.isEmpty());
    ReservationState next =
        new ReservationState(
            generation + 1, Collections.unmodifiableMap(left), released ? null : held);
    boolean told = released && held != null && held.type().admitsRegistrants();
    return new Step(next, told ? tellReleased(left.keySet()) : ReservationOutcome.GOOD);
  }

  private static ReservationOutcome tellReleased(Set<InitiatorPort> ports) {
    return tell(ports, UnitAttention.RESERVATIONS_RELEASED);
  }

  private static ReservationOutcome tell(Set<InitiatorPort> ports, UnitAttention attention) {
    Map<InitiatorPort, UnitAttention> attentions = new HashMap<>();
    ports.forEach(port -> attentions.put(port, attention));
    return new ReservationOutcome(Response.GOOD, attentions, Set.of());
  }

  /// Returns the registered ports other than the given one.
  private Set<InitiatorPort> others(InitiatorPort port) {
    Set<InitiatorPort> others = new HashSet<>(registrations.keySet());
    others.remove(port);
    return others;
  }

  /// Executes RESERVE (section 5.14.9). If a reservation exists, the command succeeds only if the
  /// port already holds the reservation and requests the same type.
  Step reserve(ReserveRequest request) {
    if (!proves(request)) {
      return conflict();
    }
    Reservation held = reservation;
    if (held == null) {
      return new Step(
          new ReservationState(
              generation, registrations, new Reservation(request.type(), request.port())),
          ReservationOutcome.GOOD);
    }
    return holds(held, request.port()) && held.type() == request.type() ? good() : conflict();
  }

  /// Executes RELEASE (section 5.14.11.2).
  Step release(ReserveRequest request) {
    if (!proves(request)) {
      return conflict();
    }
    Reservation held = reservation;
    if (held == null || !holds(held, request.port())) {
      return good();
    }
    if (held.type() != request.type()) {
      return refuse(INVALID_RELEASE);
    }
    return new Step(
        new ReservationState(generation, registrations, null),
        held.type().admitsRegistrants()
            ? tellReleased(others(request.port()))
            : ReservationOutcome.GOOD);
  }

  /// Executes CLEAR (section 5.14.11.6).
  Step clear(ReserveRequest request) {
    if (!proves(request)) {
      return conflict();
    }
    return new Step(
        new ReservationState(generation + 1, Map.of(), null),
        tell(others(request.port()), UnitAttention.RESERVATIONS_PREEMPTED));
  }

  /// Executes PREEMPT, and PREEMPT AND ABORT (sections 5.14.11.4 and 5.14.11.5).
  Step preempt(ReserveRequest request, boolean abort) {
    if (!proves(request)) {
      return conflict();
    }
    Reservation held = reservation;
    long victim = request.serviceActionKey();
    boolean all = held != null && held.type().allRegistrants() && victim == 0;
    if (victim == 0 && !all) {
      return refuse(CheckConditionException.INVALID_FIELD_IN_PARAMETER_LIST);
    }
    boolean takesOver = all || (held != null && isHolderKey(held, victim));
    Set<InitiatorPort> preempted = new HashSet<>();
    Map<InitiatorPort, Registration> left = new LinkedHashMap<>();
    registrations.forEach((port, registration) -> {
      boolean own = port.equals(request.port());
      boolean named = all ? !own : registration.key() == victim && !(own && takesOver);
      if (named) {
        preempted.add(port);
      } else {
        left.put(port, registration);
      }
    });
    if (preempted.isEmpty() && !takesOver) {
      return conflict();
    }
    return new Step(
        new ReservationState(
            generation + 1, Collections.unmodifiableMap(left), after(request, left, takesOver)),
        preemption(request, preempted, left.keySet(), takesOver, abort));
  }

  private boolean isHolderKey(Reservation held, long key) {
    Registration holder = registrations.get(held.holder());
    return !held.type().allRegistrants() && holder != null && holder.key() == key;
  }

  private @Nullable Reservation after(
      ReserveRequest request, Map<InitiatorPort, Registration> left, boolean takesOver) {
    if (takesOver) {
      return new Reservation(request.type(), request.port());
    }
    // A sender can preempt its own registration. If no registrant is left, the reservation ends.
    return left.isEmpty() ? null : reservation;
  }

  private ReservationOutcome preemption(
      ReserveRequest request,
      Set<InitiatorPort> preempted,
      Set<InitiatorPort> left,
      boolean takesOver,
      boolean abort) {
    Map<InitiatorPort, UnitAttention> attentions = new HashMap<>();
    boolean changed = takesOver && reservation != null && reservation.type() != request.type();
    if (changed) {
      left.forEach(port -> attentions.put(port, UnitAttention.RESERVATIONS_RELEASED));
    }
    preempted.forEach(port -> attentions.put(port, UnitAttention.REGISTRATIONS_PREEMPTED));
    attentions.remove(request.port());
    return new ReservationOutcome(Response.GOOD, attentions, abort ? preempted : Set.of());
  }

  /// Returns whether the port is registered with the key in the request.
  private boolean proves(ReserveRequest request) {
    Registration registration = registrations.get(request.port());
    return registration != null && registration.key() == request.key();
  }

  private Step good() {
    return new Step(this, ReservationOutcome.GOOD);
  }

  private Step conflict() {
    return new Step(this, ReservationOutcome.of(Response.RESERVATION_CONFLICT));
  }

  private Step refuse(int code) {
    return new Step(this, ReservationOutcome.of(Response.check(SenseKey.ILLEGAL_REQUEST, code)));
  }
}
