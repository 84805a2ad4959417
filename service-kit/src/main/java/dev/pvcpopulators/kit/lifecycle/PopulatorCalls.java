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
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Calls a [Populator]. Converts every outcome of a recovery, a creation and a deletion to an
/// event; an undeclared exception becomes a [Failure.Bug] with a log entry.
record PopulatorCalls(Populator populator) {
  private static final Logger LOG = System.getLogger(PopulatorCalls.class.getName());

  /// Looks for the volume of an earlier process.
  ///
  /// @param tell receives the volume if one is found, before this method returns the event
  Event recover(Consumer<Recovered> tell) {
    try {
      Optional<Recovered> found = populator.recover();
      found.ifPresent(tell);
      return found
          .<Event>map(it -> new Event.Found(it.request(), it.source()))
          .orElseGet(Event.NothingFound::new);
    } catch (VolumeException e) {
      return new Event.RecoveryFailed(e.failure());
    } catch (RuntimeException | Error e) {
      return new Event.RecoveryFailed(bug("Recovering", e));
    }
  }

  Event create(VolumeRequest request, Progress progress, Cancellation cancellation) {
    try {
      cancellation.check();
      return new Event.Created(populator.create(request, progress, cancellation));
    } catch (VolumeException e) {
      return new Event.CreationFailed(e.failure());
    } catch (InterruptedException _) {
      // The interrupt flag is not set again, because this thread only records the result and then
      // ends.
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

  /// Returns the populator's present details; empty if the populator throws a RuntimeException.
  ObjectNode details() {
    return asked("details", populator::details, JsonNodeFactory.instance.objectNode());
  }

  /// Returns the populator's present parts; empty if the populator throws a RuntimeException.
  List<Part> parts() {
    return asked("parts", populator::parts, List.of());
  }

  private <T> T asked(String what, Supplier<T> question, T otherwise) {
    try {
      return question.get();
    } catch (RuntimeException e) {
      LOG.log(Level.ERROR, "Asking " + populator.name() + " for its " + what, e);
      return otherwise;
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
