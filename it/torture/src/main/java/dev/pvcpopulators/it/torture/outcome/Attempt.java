package dev.pvcpopulators.it.torture.outcome;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import java.io.IOException;
import java.nio.file.Path;

/// One job of a subject. Before and after the attempt, the volume is empty, except for files such
/// as locks that the service leaves. `Engine` calls [#furnish] and the later methods in the order
/// of their declaration, except [#vanish]. Only a fault calls [#vanish], after [#awaitMoment].
public interface Attempt extends AutoCloseable {
  /// Returns the launch of the process. The fault may change the launch. If a running service was
  /// started with the same launch, the round may use this service.
  Launch launch();

  /// Returns whether the process runs in Job mode (`--once`). A process in Job mode ends with the
  /// job.
  boolean once();

  /// Returns whether the attempt needs a process that is started after [#furnish].
  boolean wantsOwnProcess();

  Path volume();

  /// Creates the files that exist before the job: files that the job must not change, and in some
  /// rounds an older disk.
  void furnish() throws IOException, InterruptedException;

  /// Returns the valve through which the disk arrives. Called once, after the start of the process
  /// and before [#begin].
  Valve wire(Service service) throws IOException, InterruptedException;

  /// Begins the job, and does not wait for its end. Does nothing if the process runs in Job mode
  /// and begins the job without a request.
  void begin(Service service) throws IOException, InterruptedException;

  /// Disconnects the client without a message. Does nothing if there is no client.
  void vanish() throws IOException;

  /// Waits for the round's moment or the end of the job, with a time limit.
  void awaitMoment(Service service) throws IOException, InterruptedException;

  /// Waits until the client knows the outcome or has lost its connection, and returns the outcome.
  /// The fault may have ended the process before this call.
  Outcome end(Service service) throws IOException, InterruptedException;

  /// Returns the state of the volume. The process may have ended.
  VolumeState found() throws IOException, InterruptedException;

  /// Deletes the disk if the disk has no record. Called before [#finish] if the fault may have
  /// prevented the record.
  default void deleteUnrecorded() throws IOException {}

  /// Completes the volume without a fault. Runs the job again if necessary. Fails if the job fails,
  /// or if the volume is not complete.
  ///
  /// @param service the running process of the service, possibly a new process; for a Job, a
  ///   process that was started for this call
  void finish(Service service) throws IOException, InterruptedException;

  /// Removes the result by a request to the service; for a Job, deletes the files of the result.
  /// Fails if a file that the job must not change is missing or has changed. Also fails if another
  /// file remains, except files such as locks. If the check succeeds, removes the files that the
  /// job must not change.
  void clear(Service service) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
