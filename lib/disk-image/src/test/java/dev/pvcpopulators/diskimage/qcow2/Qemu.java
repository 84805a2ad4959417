package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.it.Command;
import java.nio.file.Path;
import java.util.List;

/// Runs the real `qemu-img` and `qemu-io`, which create the fixtures and are the oracle.
final class Qemu {
  private Qemu() {}

  static Command.Ran img(Object... arguments) {
    return Command.of("qemu-img").with(arguments).tried();
  }

  /// Runs qemu-io commands on an image, in one process.
  static Command.Ran io(Path image, List<String> commands) {
    Command io = Command.of("qemu-io", "-f", "qcow2", "-d", "unmap", "-t", "unsafe");
    for (String command : commands) {
      io = io.with("-c", command);
    }
    Command.Ran result = io.with(image).tried();
    // qemu-io continues after a command that failed.
    if (result.output().contains("failed") || result.output().contains("rror")) {
      throw new AssertionError(result);
    }
    return result;
  }

  static void requireEqual(Path expected, String format, Path raw) {
    img("compare", "-f", format, "-F", "raw", expected, raw).ok();
  }
}
