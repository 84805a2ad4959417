package dev.pvcpopulators.volume.job;

/// Whether this process is about to end: by a signal, or because somebody has said so.
final class Shutdown {
  private Shutdown() {}

  /// Runs something when the process ends.
  ///
  /// @return false where it ends already, and the hook does not run
  static boolean hook(Thread hook) {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException _) {
      // The only way to ask.
      return false;
    }
  }

  /// True once it has begun.
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
