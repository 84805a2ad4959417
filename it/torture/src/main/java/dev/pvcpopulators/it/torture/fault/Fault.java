package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A fault of a round. It may change the start of the process, prepare itself before the job
/// begins, and take effect at the round's moment. [#heal] ends it, so that the job can be finished.
/// The defaults are those of a fault that changes neither the machine nor the process.
public sealed interface Fault permits ProcessFault, ConnectionFault, MachineFault, RegistryLie {
  /// The frequency of each [ProcessFault], relative to that of any other fault.
  int ENDS = 4;

  /// Returns the faults that can occur for every subject that receives or pulls a disk.
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

  /// Returns whether the fault needs a process that is started for this round and not used after
  /// it.
  default boolean wantsOwnProcess() {
    return false;
  }

  /// Returns how to start the process for this fault. Prepares the volume, which is still empty.
  default Launch prepare(Launch launch, Path volume) throws IOException {
    return launch;
  }

  /// Prepares the fault after the start of the process and before the job. A Job may have begun
  /// already.
  default void arm(FaultContext scene) throws IOException {}

  /// Makes the fault take effect. Called at the round's moment, or earlier if the job has ended
  /// before that moment.
  void strike(FaultContext scene) throws IOException, InterruptedException;

  /// Ends the fault. Called after the job has ended, successfully or not.
  default void heal(FaultContext scene) throws IOException {}

  /// Removes after the round what [#prepare] has created. The volume is not in use.
  default void remove(Path volume) throws IOException {}

  /// Returns the exit statuses that the fault explains, besides the documented ones of
  /// [DocumentedFailures].
  default Set<Integer> exits() {
    return Set.of();
  }

  /// Returns whether the fault explains the failure `bug` and errors in the log. A fault explains
  /// them if it makes a resource of the machine fail.
  default boolean explainsErrors() {
    return false;
  }
}
