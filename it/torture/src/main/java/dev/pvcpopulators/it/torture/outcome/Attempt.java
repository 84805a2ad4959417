package dev.pvcpopulators.it.torture.outcome;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import java.io.IOException;
import java.nio.file.Path;

/// One job of a subject, from an empty volume to an empty volume. [Engine] calls the methods in
/// this order.
public interface Attempt extends AutoCloseable {
  /// Returns how the process is started without a fault. A running process that was started in the
  /// same way is used again.
  Launch launch();

  /// Returns whether this is a Job, whose process ends with it.
  boolean once();

  /// Returns whether it needs a process that was started after [#furnish].
  boolean wantsOwnProcess();

  /// Returns the volume's directory.
  Path volume();

  /// Creates what exists before the job: files of other owners, an older disk.
  void furnish() throws IOException, InterruptedException;

  /// Returns the connection that the disk arrives through. Called once, before [#begin], for a
  /// process that was started.
  Valve wire(Service service) throws IOException, InterruptedException;

  /// Begins the job and returns at once. Does nothing for a Job, which has begun with its process.
  void begin(Service service) throws IOException, InterruptedException;

  /// Disconnects the client without a message. Does nothing if there is no client.
  void vanish() throws IOException;

  /// Waits for the round's moment, or for the end of the job.
  void awaitMoment(Service service) throws IOException, InterruptedException;

  /// Waits until the client knows the outcome. The process may have ended as well.
  Outcome end(Service service) throws IOException, InterruptedException;

  /// Returns the state of the volume, whether the process is alive or not.
  VolumeState found() throws IOException, InterruptedException;

  /// Runs the same job without a fault. Fails if it does not succeed, or the volume is not
  /// complete. The process is the same, or was restarted.
  ///
  /// @param service the running process; for a Job it was started for this call
  void finish(Service service) throws IOException, InterruptedException;

  /// Removes the result, through the service if it can do that. Fails if the remaining files differ
  /// from those before the job; then removes those as well.
  void clear(Service service) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
