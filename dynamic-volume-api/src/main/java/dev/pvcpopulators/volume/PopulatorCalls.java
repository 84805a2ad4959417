package dev.pvcpopulators.volume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Calls a [Populator] and makes an event of whatever comes out of it: the failures it names, and
/// as a [Failure.Bug] with a log entry those it does not.
record PopulatorCalls(Populator populator) {
  private static final Logger LOG = System.getLogger(PopulatorCalls.class.getName());

  /// What a recovery found, beside the event that tells of it.
  record Recovery(Event event, Optional<Recovered> found) {}

  Recovery recover() {
    try {
      Optional<Recovered> found = populator.recover();
      Event event =
          found
              .<Event>map(it -> new Event.Found(it.request(), it.source()))
              .orElseGet(Event.NothingFound::new);
      return new Recovery(event, found);
    } catch (VolumeException e) {
      return new Recovery(new Event.RecoveryFailed(e.failure()), Optional.empty());
    } catch (RuntimeException | Error e) {
      return new Recovery(new Event.RecoveryFailed(bug("Recovering", e)), Optional.empty());
    }
  }

  Event create(VolumeRequest request, Progress progress, Cancellation cancellation) {
    try {
      cancellation.check();
      return new Event.Created(populator.create(request, progress, cancellation));
    } catch (VolumeException e) {
      return new Event.CreationFailed(e.failure());
    } catch (InterruptedException _) {
      // The thread ends with this call, so that nobody is left to see the interrupt.
      return new Event.CreationFailed(new Failure.Cancelled("The creation was cancelled"));
    } catch (RuntimeException | Error e) {
      return new Event.CreationFailed(bug("Creating", e));
    }
  }

  /// Whether a volume that is ready can take more.
  boolean growing() {
    return populator instanceof GrowingPopulator;
  }

  /// @throws VolumeException also where the populator throws what it should not
  Creation add(VolumeRequest request) throws VolumeException {
    try {
      return ((GrowingPopulator) populator).add(request);
    } catch (InterruptedException e) {
      throw new VolumeException(new Failure.Cancelled("The addition was cancelled"), e);
    } catch (RuntimeException | Error e) {
      throw new VolumeException(bug("Adding to", e), e);
    }
  }

  /// What the populator tells of its volume now; nothing where that fails.
  ObjectNode details() {
    try {
      return populator.details();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "Asking " + populator.name() + " for its details", e);
      return JsonNodeFactory.instance.objectNode();
    }
  }

  /// What the populator's volume is made of now; nothing where telling that fails.
  List<Part> parts() {
    try {
      return populator.parts();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "Asking " + populator.name() + " for its parts", e);
      return List.of();
    }
  }

  Event delete() {
    try {
      populator.delete();
      return new Event.Deleted();
    } catch (VolumeException e) {
      return new Event.DeletionFailed(e.failure());
    } catch (RuntimeException | Error e) {
      return new Event.DeletionFailed(bug("Deleting", e));
    }
  }

  private Failure bug(String action, Throwable cause) {
    String id = UUID.randomUUID().toString();
    LOG.log(Level.ERROR, action + " the volume of " + populator.name() + " id=" + id, cause);
    return new Failure.Bug(id, action + " the volume ended in a defect; the log has it as " + id);
  }
}
