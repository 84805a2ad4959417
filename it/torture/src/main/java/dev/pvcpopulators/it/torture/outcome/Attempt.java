package dev.pvcpopulators.it.torture.outcome;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Valve;
import java.io.IOException;
import java.nio.file.Path;

/// One job of a subject, from an empty volume to an empty volume: in this order what [Engine]
/// calls.
public interface Attempt extends AutoCloseable {
  /// How its process is started, without any fault. A process that runs and was started in the same
  /// way goes on to be used.
  Launch launch();

  /// True of a Job: its process ends with the job.
  boolean once();

  /// Whether it needs a process that was started after [#furnish].
  boolean wantsOwnProcess();

  /// The volume's directory.
  Path volume();

  /// Puts there what was there before: files of others, an older disk.
  void furnish() throws IOException, InterruptedException;

  /// What its disk comes through: asked for once, before [#begin], of a process that was started.
  Valve wire(Service service) throws IOException, InterruptedException;

  /// Begins it, and returns at once. A Job has begun by itself.
  void begin(Service service) throws IOException, InterruptedException;

  /// Whoever asked for it goes without a word. Nothing where nobody did.
  void vanish() throws IOException;

  /// Waits for the round's moment, or until it has ended.
  void awaitMoment(Service service) throws IOException, InterruptedException;

  /// Waits until whoever asked for it knows how it ended. The process may have ended, too.
  Outcome end(Service service) throws IOException, InterruptedException;

  /// What the volume holds now, whether the process is alive or not.
  VolumeState found() throws IOException, InterruptedException;

  /// Does the same without a fault, and fails where it does not succeed and the volume is not
  /// complete. The process may have been started anew since, or is the same.
  ///
  /// @param service the process, which runs; of a Job it is started for that
  void finish(Service service) throws IOException, InterruptedException;

  /// Removes what it has made, through the service where that can do it, and fails where something
  /// else was left than what was there before, or less. What was there before goes, too.
  void clear(Service service) throws IOException, InterruptedException;

  @Override
  void close() throws IOException;
}
