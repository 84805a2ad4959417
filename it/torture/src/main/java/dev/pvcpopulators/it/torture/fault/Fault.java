package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A fault that a round of the torture test causes. A fault may change the launch of the process
/// ([#prepare]), and may prepare its effect after the launch ([#arm]). The fault takes effect at
/// the round's moment ([#strike]). [#heal] ends the fault, so that the same job can succeed. The
/// default methods are for a fault that changes neither the host nor the process.
public sealed interface Fault permits ProcessFault, ConnectionFault, MachineFault, RegistryLie {
  /// Each [ProcessFault] is listed this many times, and therefore occurs more often than other
  /// faults.
  int ENDS = 4;

  /// Returns the faults for a subject that receives or pulls a disk. All of these faults except
  /// [ConnectionFault#CLIENT_GONE] can occur for every such subject.
  static List<Fault> ofEverything() {
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < ENDS; i++) {
      faults.addAll(List.of(ProcessFault.values()));
    }
    faults.addAll(List.of(ConnectionFault.values()));
    faults.addAll(MachineFault.all());
    return faults;
  }

  /// Returns the name for `--fault` and the report.
  String name();

  /// Returns whether the fault needs a process that only this round uses.
  default boolean wantsOwnProcess() {
    return false;
  }

  /// Prepares the volume, which is still empty, and returns the launch with the changes that the
  /// fault needs.
  default Launch prepare(Launch launch, Path volume) throws IOException {
    return launch;
  }

  /// Prepares the effect of the fault, after the start of the process. A process that runs as a
  /// service has not begun its job yet; a process that runs as a Job may have begun its job.
  default void arm(FaultContext scene) throws IOException {}

  /// Makes the fault take effect. Called at the round's moment, or earlier if the job ends before
  /// that moment or if the wait for the moment takes too long.
  void strike(FaultContext scene) throws IOException, InterruptedException;

  /// Ends the fault. Called after `Attempt.end`, whether or not the job has succeeded.
  default void heal(FaultContext scene) throws IOException {}

  /// Removes everything that [#prepare] has created. Called after the round, when the volume is not
  /// in use.
  default void remove(Path volume) throws IOException {}

  /// Returns the exit statuses that the fault explains, in addition to the documented exit statuses
  /// of [DocumentedFailures].
  default Set<Integer> exits() {
    return Set.of();
  }

  /// Returns whether the fault explains the failure `bug` and errors in the log. Only a lack of
  /// file descriptors or of memory explains them.
  default boolean explainsErrors() {
    return false;
  }

  /// Returns whether the fault may leave too little space for the disk's record. Without this
  /// record, a later job does not accept the disk, even if the disk is complete. A later job
  /// replaces the disk only if `POPULATOR_OVERWRITE` is true.
  default boolean mayPreventRecord() {
    return false;
  }
}
