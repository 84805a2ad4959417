package dev.pvcpopulators.volume.machine;

import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeRequest;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The state machine of a volume, without threads, time or storage. Each cell of the table names
/// the possible next states, or says what happens to the request. "Drops a Put" means that a
/// waiting Put fails.
///
/// | State       | Put                  | Delete             | The operation ends                 |
/// |-------------|----------------------|--------------------|------------------------------------|
/// | Recovering  | waits, or refused    | drops a Put, waits | Ready, Absent, Creating, Deleting, |
/// |             |                      |                    | Unrecovered                        |
/// | Unrecovered | Recovering           | Recovering         |                                    |
/// | Absent      | Creating             | answered           |                                    |
/// | Creating    | joins, or refused    | Cancelling         | Ready, Failed                      |
/// | Cancelling  | waits, or refused    | drops a Put, waits | Deleting                           |
/// | Deleting    | waits, or refused    | drops a Put, waits | Absent, Creating, Failed           |
/// | Ready       | answered, or refused | Deleting           |                                    |
/// | Failed      | Creating             | Deleting           |                                    |
public final class VolumeMachine {
  /// The failure of a running or waiting creation if the volume is deleted.
  public static final Failure DELETED =
      new Failure.Cancelled("The volume was deleted before it was complete");

  /// The failure of a request with fields that arrives while a creation with other fields runs or
  /// waits.
  public static final Failure BUSY =
      new Failure.VolumeBusy("A creation with other fields is under way; wait or delete it first");

  /// The failure of a request with fields if the volume was made with other fields. Every request
  /// with fields gets this failure if the service does not know the fields that the volume was made
  /// with.
  public static final Failure TAKEN =
      new Failure.VolumeNotEmpty("The volume was made with other fields; delete it first");

  private VolumeMachine() {}

  /// Returns the state after the start of a service.
  public static State initial() {
    return new Recovering(false, null);
  }

  /// Returns the next state and the effects of an event.
  ///
  /// @throws IllegalStateException if the event reports the end of an operation that does not run
  ///   in the given state
  public static Step step(State state, Event event) {
    return switch (event) {
      case PutAsked put -> put(state, put.request());
      case DeleteAsked _ -> delete(state);
      case Found found when state instanceof Recovering recovering -> found(recovering, found);
      case NothingFound _ when state instanceof Recovering recovering -> nothing(recovering);
      case RecoveryFailed failed when state instanceof Recovering recovering ->
          failed(
              new Unrecovered(failed.failure()),
              recovering.delete(),
              recovering.next(),
              failed.failure());
      case Created created when state instanceof Creating creating ->
          Step.to(
              new Ready(creating.request(), created.source()),
              new AnswerCreation(created.source(), true));
      case CreationFailed failed when state instanceof Creating ->
          Step.to(new Failed(failed.failure()), new FailCreation(failed.failure()));
      // The data of a cancelled creation is removed, even if the creation succeeded.
      case Created _, CreationFailed _ when state instanceof Cancelling cancelling ->
          Step.to(new Deleting(cancelling.next()), new BeginDeletion());
      case Deleted _ when state instanceof Deleting deleting -> absent(deleting.next());
      case DeletionFailed failed when state instanceof Deleting deleting ->
          failed(new Failed(failed.failure()), true, deleting.next(), failed.failure());
      case Found _,
          NothingFound _,
          RecoveryFailed _,
          Created _,
          CreationFailed _,
          Deleted _,
          DeletionFailed _ ->
          throw new IllegalStateException(event + " cannot happen in " + state);
    };
  }

  private static Step put(State state, VolumeRequest request) {
    return switch (state) {
      case Absent _, Failed _ -> Step.to(new Creating(request), new BeginCreation(request));
      case Unrecovered _ -> Step.to(new Recovering(false, request), new BeginRecovery());
      case Creating creating -> join(creating, creating.request(), request);
      case Recovering(boolean delete, var next) ->
          next == null
              ? Step.to(new Recovering(delete, request))
              : join(new Recovering(delete, next), next, request);
      case Cancelling(var next) ->
          next == null
              ? Step.to(new Cancelling(request))
              : join(new Cancelling(next), next, request);
      case Deleting(var next) ->
          next == null ? Step.to(new Deleting(request)) : join(new Deleting(next), next, request);
      case Ready ready ->
          serves(ready.request(), request)
              ? Step.to(ready, new AnswerCreation(ready.source(), false))
              : Step.to(ready, new Refuse(TAKEN));
    };
  }

  private static Step join(State state, VolumeRequest underWay, VolumeRequest request) {
    return request.satisfiedBy(underWay) ? Step.to(state) : Step.to(state, new Refuse(BUSY));
  }

  private static boolean serves(@Nullable VolumeRequest made, VolumeRequest request) {
    return made == null ? request.isEmpty() : request.satisfiedBy(made);
  }

  private static Step delete(State state) {
    return switch (state) {
      case Absent absent -> Step.to(absent, new AnswerDeletion());
      case Ready _, Failed _ -> Step.to(new Deleting(null), new BeginDeletion());
      case Unrecovered _ -> Step.to(new Recovering(true, null), new BeginRecovery());
      case Creating _ ->
          Step.to(new Cancelling(null), new FailCreation(DELETED), new CancelCreation());
      case Recovering(_, var next) -> dropping(new Recovering(true, null), next);
      case Cancelling(var next) -> dropping(new Cancelling(null), next);
      case Deleting(var next) -> dropping(new Deleting(null), next);
    };
  }

  private static Step dropping(State state, @Nullable VolumeRequest next) {
    return next == null ? Step.to(state) : Step.to(state, new FailCreation(DELETED));
  }

  private static Step found(Recovering recovering, Found found) {
    VolumeRequest next = recovering.next();
    if (recovering.delete()) {
      return Step.to(new Deleting(next), new BeginDeletion());
    }
    Ready ready = new Ready(found.request(), found.source());
    if (next == null) {
      return Step.to(ready);
    }
    return serves(found.request(), next)
        ? Step.to(ready, new AnswerCreation(found.source(), false))
        : Step.to(ready, new FailCreation(TAKEN));
  }

  private static Step nothing(Recovering recovering) {
    return recovering.delete()
        ? absent(recovering.next())
        : begun(recovering.next(), new ArrayList<>());
  }

  /// Returns the step to a state without an operation, after the failure of an operation.
  ///
  /// @param delete whether a deletion waits
  /// @param next the creation that waits; null if none waits
  private static Step failed(
      State state, boolean delete, @Nullable VolumeRequest next, Failure failure) {
    List<Effect> effects = new ArrayList<>();
    if (delete) {
      effects.add(new FailDeletion(failure));
    }
    if (next != null) {
      effects.add(new FailCreation(failure));
    }
    return new Step(state, effects);
  }

  private static Step absent(@Nullable VolumeRequest next) {
    List<Effect> effects = new ArrayList<>();
    effects.add(new AnswerDeletion());
    return begun(next, effects);
  }

  private static Step begun(@Nullable VolumeRequest next, List<Effect> effects) {
    if (next == null) {
      return new Step(new Absent(), effects);
    }
    effects.add(new BeginCreation(next));
    return new Step(new Creating(next), effects);
  }
}
