package dev.pvcpopulators.volume.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.VolumeSource;
import dev.pvcpopulators.volume.machine.Effect.AnswerCreation;
import dev.pvcpopulators.volume.machine.Effect.AnswerDeletion;
import dev.pvcpopulators.volume.machine.Effect.BeginCreation;
import dev.pvcpopulators.volume.machine.Effect.BeginDeletion;
import dev.pvcpopulators.volume.machine.Effect.BeginRecovery;
import dev.pvcpopulators.volume.machine.Effect.CancelCreation;
import dev.pvcpopulators.volume.machine.Effect.FailCreation;
import dev.pvcpopulators.volume.machine.Effect.FailDeletion;
import dev.pvcpopulators.volume.machine.Effect.Refuse;
import dev.pvcpopulators.volume.machine.Event.Created;
import dev.pvcpopulators.volume.machine.Event.CreationFailed;
import dev.pvcpopulators.volume.machine.Event.DeleteAsked;
import dev.pvcpopulators.volume.machine.Event.Deleted;
import dev.pvcpopulators.volume.machine.Event.DeletionFailed;
import dev.pvcpopulators.volume.machine.Event.Found;
import dev.pvcpopulators.volume.machine.Event.NothingFound;
import dev.pvcpopulators.volume.machine.Event.PutAsked;
import dev.pvcpopulators.volume.machine.Event.RecoveryFailed;
import dev.pvcpopulators.volume.machine.State.Absent;
import dev.pvcpopulators.volume.machine.State.Cancelling;
import dev.pvcpopulators.volume.machine.State.Creating;
import dev.pvcpopulators.volume.machine.State.Deleting;
import dev.pvcpopulators.volume.machine.State.Failed;
import dev.pvcpopulators.volume.machine.State.Ready;
import dev.pvcpopulators.volume.machine.State.Recovering;
import dev.pvcpopulators.volume.machine.State.Unrecovered;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Tests each state with every event. The rows in this class specify the expected steps of the
/// events that can occur in a state. Any other event must cause an [IllegalStateException].
class VolumeMachineTest {
  private static final VolumeSource SOURCE = new PvcSource("claim");
  private static final Failure WRONG = new Failure.SourceNotFound("gone");
  private static final VolumeRequest NONE = VolumeRequest.empty();
  private static final VolumeRequest QCOW2 = request("qcow2");
  private static final VolumeRequest RAW = request("raw");

  private static final Failure GONE = VolumeMachine.DELETED;
  private static final Failure BUSY = VolumeMachine.BUSY;
  private static final Failure TAKEN = VolumeMachine.TAKEN;

  private static final List<Event> EVENTS =
      List.of(
          new PutAsked(NONE),
          new PutAsked(QCOW2),
          new PutAsked(RAW),
          new DeleteAsked(),
          new Found(null, SOURCE),
          new Found(QCOW2, SOURCE),
          new NothingFound(),
          new RecoveryFailed(WRONG),
          new Created(SOURCE),
          new CreationFailed(WRONG),
          new Deleted(),
          new DeletionFailed(WRONG));

  private record Cell(State state, Event event) {}

  private final Map<Cell, Step> table = new LinkedHashMap<>();

  private static VolumeRequest request(String format) {
    return new VolumeRequest(JsonNodeFactory.instance.objectNode().put("format", format));
  }

  private void row(State state, Step... steps) {
    Event[] possible = possible(state);
    assertEquals(possible.length, steps.length, "columns of " + state);
    for (int i = 0; i < steps.length; i++) {
      table.put(new Cell(state, possible[i]), steps[i]);
    }
  }

  /// Returns the events that can occur in a state. The first four events are requests, which can
  /// occur in every state. The other returned events report the end of the operation that is
  /// running in the state.
  private static Event[] possible(State state) {
    Stream<Event> ends =
        switch (state) {
          case Recovering _ ->
              Stream.of(EVENTS.get(4), EVENTS.get(5), EVENTS.get(6), EVENTS.get(7));
          case Creating _, Cancelling _ -> Stream.of(EVENTS.get(8), EVENTS.get(9));
          case Deleting _ -> Stream.of(EVENTS.get(10), EVENTS.get(11));
          case Absent _, Ready _, Failed _, Unrecovered _ -> Stream.of();
        };
    return Stream.concat(EVENTS.stream().limit(4), ends).toArray(Event[]::new);
  }

  private static Step to(State state, Effect... effects) {
    return new Step(state, Arrays.asList(effects));
  }

  private void quietRows() {
    State absent = new Absent();
    row(
        absent,
        to(new Creating(NONE), new BeginCreation(NONE)),
        to(new Creating(QCOW2), new BeginCreation(QCOW2)),
        to(new Creating(RAW), new BeginCreation(RAW)),
        to(absent, new AnswerDeletion()));
    row(
        new Failed(WRONG),
        to(new Creating(NONE), new BeginCreation(NONE)),
        to(new Creating(QCOW2), new BeginCreation(QCOW2)),
        to(new Creating(RAW), new BeginCreation(RAW)),
        to(new Deleting(null), new BeginDeletion()));
    row(
        new Unrecovered(WRONG),
        to(new Recovering(false, NONE), new BeginRecovery()),
        to(new Recovering(false, QCOW2), new BeginRecovery()),
        to(new Recovering(false, RAW), new BeginRecovery()),
        to(new Recovering(true, null), new BeginRecovery()));
    State known = new Ready(QCOW2, SOURCE);
    Step there = to(known, new AnswerCreation(SOURCE, false));
    row(
        known,
        there,
        there,
        to(known, new Refuse(TAKEN)),
        to(new Deleting(null), new BeginDeletion()));
    State unknown = new Ready(null, SOURCE);
    row(
        unknown,
        to(unknown, new AnswerCreation(SOURCE, false)),
        to(unknown, new Refuse(TAKEN)),
        to(unknown, new Refuse(TAKEN)),
        to(new Deleting(null), new BeginDeletion()));
    State plain = new Ready(NONE, SOURCE);
    row(
        plain,
        to(plain, new AnswerCreation(SOURCE, false)),
        to(plain, new Refuse(TAKEN)),
        to(plain, new Refuse(TAKEN)),
        to(new Deleting(null), new BeginDeletion()));
  }

  private void creatingRows() {
    State qcow2 = new Creating(QCOW2);
    Step cancelled = to(new Cancelling(null), new FailCreation(GONE), new CancelCreation());
    row(
        qcow2,
        to(qcow2),
        to(qcow2),
        to(qcow2, new Refuse(BUSY)),
        cancelled,
        to(new Ready(QCOW2, SOURCE), new AnswerCreation(SOURCE, true)),
        to(new Failed(WRONG), new FailCreation(WRONG)));
    State plain = new Creating(NONE);
    row(
        plain,
        to(plain),
        to(plain, new Refuse(BUSY)),
        to(plain, new Refuse(BUSY)),
        cancelled,
        to(new Ready(NONE, SOURCE), new AnswerCreation(SOURCE, true)),
        to(new Failed(WRONG), new FailCreation(WRONG)));
    State alone = new Cancelling(null);
    row(
        alone,
        to(new Cancelling(NONE)),
        to(new Cancelling(QCOW2)),
        to(new Cancelling(RAW)),
        to(alone),
        to(new Deleting(null), new BeginDeletion()),
        to(new Deleting(null), new BeginDeletion()));
    State next = new Cancelling(QCOW2);
    row(
        next,
        to(next),
        to(next),
        to(next, new Refuse(BUSY)),
        to(alone, new FailCreation(GONE)),
        to(new Deleting(QCOW2), new BeginDeletion()),
        to(new Deleting(QCOW2), new BeginDeletion()));
  }

  private void deletingRows() {
    State alone = new Deleting(null);
    row(
        alone,
        to(new Deleting(NONE)),
        to(new Deleting(QCOW2)),
        to(new Deleting(RAW)),
        to(alone),
        to(new Absent(), new AnswerDeletion()),
        to(new Failed(WRONG), new FailDeletion(WRONG)));
    State next = new Deleting(QCOW2);
    row(
        next,
        to(next),
        to(next),
        to(next, new Refuse(BUSY)),
        to(alone, new FailCreation(GONE)),
        to(new Creating(QCOW2), new AnswerDeletion(), new BeginCreation(QCOW2)),
        to(new Failed(WRONG), new FailDeletion(WRONG), new FailCreation(WRONG)));
  }

  private void recoveringRows() {
    State alone = new Recovering(false, null);
    row(
        alone,
        to(new Recovering(false, NONE)),
        to(new Recovering(false, QCOW2)),
        to(new Recovering(false, RAW)),
        to(new Recovering(true, null)),
        to(new Ready(null, SOURCE)),
        to(new Ready(QCOW2, SOURCE)),
        to(new Absent()),
        to(new Unrecovered(WRONG)));
    State next = new Recovering(false, QCOW2);
    row(
        next,
        to(next),
        to(next),
        to(next, new Refuse(BUSY)),
        to(new Recovering(true, null), new FailCreation(GONE)),
        to(new Ready(null, SOURCE), new FailCreation(TAKEN)),
        to(new Ready(QCOW2, SOURCE), new AnswerCreation(SOURCE, false)),
        to(new Creating(QCOW2), new BeginCreation(QCOW2)),
        to(new Unrecovered(WRONG), new FailCreation(WRONG)));
    State delete = new Recovering(true, null);
    row(
        delete,
        to(new Recovering(true, NONE)),
        to(new Recovering(true, QCOW2)),
        to(new Recovering(true, RAW)),
        to(delete),
        to(new Deleting(null), new BeginDeletion()),
        to(new Deleting(null), new BeginDeletion()),
        to(new Absent(), new AnswerDeletion()),
        to(new Unrecovered(WRONG), new FailDeletion(WRONG)));
    State both = new Recovering(true, QCOW2);
    row(
        both,
        to(both),
        to(both),
        to(both, new Refuse(BUSY)),
        to(delete, new FailCreation(GONE)),
        to(new Deleting(QCOW2), new BeginDeletion()),
        to(new Deleting(QCOW2), new BeginDeletion()),
        to(new Creating(QCOW2), new AnswerDeletion(), new BeginCreation(QCOW2)),
        to(new Unrecovered(WRONG), new FailDeletion(WRONG), new FailCreation(WRONG)));
  }

  @TestFactory
  Stream<DynamicTest> everyStateMeetsEveryEvent() {
    quietRows();
    creatingRows();
    deletingRows();
    recoveringRows();
    Set<State> states = new HashSet<>();
    table.keySet().forEach(cell -> states.add(cell.state()));
    List<DynamicTest> tests = new ArrayList<>();
    for (State state : states) {
      for (Event event : EVENTS) {
        Step expected = table.get(new Cell(state, event));
        tests.add(
            DynamicTest.dynamicTest(state + " + " + event, () -> check(state, event, expected)));
      }
    }
    return tests.stream();
  }

  private static void check(
      State state, Event event, @org.jspecify.annotations.Nullable Step expected) {
    if (expected == null) {
      assertThrows(IllegalStateException.class, () -> VolumeMachine.step(state, event));
    } else {
      assertEquals(expected, VolumeMachine.step(state, event));
    }
  }

  @Test
  void tableHasEveryKindOfState() {
    everyStateMeetsEveryEvent().close();
    Set<Class<?>> kinds = new HashSet<>();
    table.keySet().forEach(cell -> kinds.add(cell.state().getClass()));
    assertEquals(Set.of(State.class.getPermittedSubclasses()), kinds);
  }

  @Test
  void startsByRecoveringAnExistingVolume() {
    assertEquals(new Recovering(false, null), VolumeMachine.initial());
  }
}
