package dev.pvcpopulators.it.torture.fault;

import java.util.Set;

/// A signal that ends the process.
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
      // Lets the client send the rest of the data. The client reads the answer only after it has
      // sent all data.
      scene.wire().open();
    }
  };

  private final int exit;

  ProcessFault(int exit) {
    this.exit = exit;
  }

  @Override
  public Set<Integer> exits() {
    return Set.of(exit);
  }
}
