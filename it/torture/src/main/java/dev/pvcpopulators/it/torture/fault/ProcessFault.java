package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Launch;
import java.nio.file.Path;
import java.util.Set;

/// The process ends.
public enum ProcessFault implements Fault {
  /// The process gets SIGKILL.
  KILL(137) {
    @Override
    public void strike(FaultContext scene) {
      scene.service().kill();
    }
  },
  /// The process gets SIGTERM.
  TERMINATE(143) {
    @Override
    public void strike(FaultContext scene) throws InterruptedException {
      scene.service().stop();
      // A client that is still sending gets the answer only if it continues.
      scene.wire().open();
    }
  };

  private final int exit;

  ProcessFault(int exit) {
    this.exit = exit;
  }

  @Override
  public boolean wantsOwnProcess() {
    return false;
  }

  @Override
  public Launch prepare(Launch launch, Path volume) {
    return launch;
  }

  @Override
  public void arm(FaultContext scene) {}

  @Override
  public void heal(FaultContext scene) {}

  @Override
  public Set<Integer> exits() {
    return Set.of(exit);
  }

  @Override
  public boolean explainsErrors() {
    return false;
  }
}
