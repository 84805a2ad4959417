package dev.pvcpopulators.kit.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Creation;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Part;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import dev.pvcpopulators.volume.machine.Event;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/// Calls a [Populator] and converts every outcome to an event: failures that it reports, and other
/// exceptions as a [Failure.Bug] with a log entry.
record PopulatorCalls(Populator populator) {
  private static final Logger LOG = System.getLogger(PopulatorCalls.class.getName());

  /// The result of a recovery, and its event.
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
      // The thread ends with this call, so no code is left to see the interrupt.
      return new Event.CreationFailed(new Failure.Cancelled("The creation was cancelled"));
    } catch (RuntimeException | Error e) {
      return new Event.CreationFailed(bug("Creating", e));
    }
  }

  /// Returns whether a ready volume can take more disks.
  boolean growing() {
    return populator instanceof GrowingPopulator;
  }

  /// Adds a disk to a growing volume.
  ///
  /// @throws VolumeException also if the populator throws an undeclared exception
  Creation add(VolumeRequest request) throws VolumeException {
    try {
      return ((GrowingPopulator) populator).add(request);
    } catch (InterruptedException e) {
      throw new VolumeException(new Failure.Cancelled("The addition was cancelled"), e);
    } catch (RuntimeException | Error e) {
      throw new VolumeException(bug("Adding to", e), e);
    }
  }

  /// Returns the populator's present details; empty if that fails.
  ObjectNode details() {
    try {
      return populator.details();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "Asking " + populator.name() + " for its details", e);
      return JsonNodeFactory.instance.objectNode();
    }
  }

  /// Returns the populator's present parts; empty if that fails.
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
