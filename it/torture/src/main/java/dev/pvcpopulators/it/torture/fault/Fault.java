package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// What goes wrong in a round. It may change how the process is started, be armed before the job
/// begins, and strike at the round's moment; [#heal] ends it, so that the job can be finished.
public sealed interface Fault permits ProcessFault, ConnectionFault, MachineFault, RegistryFault {
  /// How many times as often the process ends as anything else happens.
  int ENDS = 4;

  /// What may befall every subject that is sent a disk, or pulls one.
  static List<Fault> ofEverything() {
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < ENDS; i++) {
      faults.addAll(List.of(ProcessFault.values()));
    }
    faults.addAll(List.of(ConnectionFault.values()));
    faults.addAll(MachineFault.all());
    return faults;
  }

  /// What `--fault` and the report call it.
  String name();

  /// Returns whether it needs a process that was started for this round, and is not used after it.
  boolean wantsOwnProcess();

  /// The process as this fault wants it started; also what has to be done to the volume before
  /// that, which is empty yet.
  Launch prepare(Launch launch, Path volume) throws IOException, InterruptedException;

  /// Before the job begins, with a process that was started. A Job may be at it already.
  void arm(FaultContext scene) throws IOException, InterruptedException;

  /// At the round's moment; or when the job has ended before it.
  void strike(FaultContext scene) throws IOException, InterruptedException;

  /// After the job has ended, however that was.
  void heal(FaultContext scene) throws IOException, InterruptedException;

  /// Removes after the round what [#prepare] has made. The volume is not in use.
  default void remove(Path volume) throws IOException {}

  /// The exit statuses that it explains besides the documented ones of [DocumentedFailures].
  Set<Integer> exits();

  /// Returns whether it explains the failure `bug`, and errors in the log: the machine refuses
  /// something, which is no mistake of the client.
  boolean explainsErrors();
}
