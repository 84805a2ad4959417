package dev.pvcpopulators.kit.job;

/// Detects whether a signal or [System#exit] is ending this process.
final class Shutdown {
  private Shutdown() {}

  /// Registers a hook that runs when the process ends.
  ///
  /// @return false if the process is ending already; then the hook does not run
  static boolean hook(Thread hook) {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException _) {
      // The JDK offers no other way to find out whether the process is ending.
      return false;
    }
  }

  /// Returns whether the shutdown has begun.
  static boolean begun() {
    Thread unused = new Thread(() -> {});
    if (!hook(unused)) {
      return true;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(unused);
      return false;
    } catch (IllegalStateException _) {
      return true;
    }
  }
}
