package dev.pvcpopulators.diskimage.qcow2;

import dev.pvcpopulators.it.Command;
import java.nio.file.Path;
import java.util.List;

/// Runs `qemu-img` and `qemu-io`, which create the test images and check the results.
final class Qemu {
  private Qemu() {}

  static Command.Ran img(Object... arguments) {
    return Command.of("qemu-img").with(arguments).tried();
  }

  /// Runs commands in one qemu-io process.
  static Command.Ran io(Path image, List<String> commands) {
    Command io = Command.of("qemu-io", "-f", "qcow2", "-d", "unmap", "-t", "unsafe");
    for (String command : commands) {
      io = io.with("-c", command);
    }
    Command.Ran result = io.with(image).tried();
    // qemu-io continues after a failed command.
    if (result.output().contains("failed") || result.output().contains("rror")) {
      throw new AssertionError(result);
    }
    return result;
  }

  static void requireEqual(Path expected, String format, Path raw) {
    img("compare", "-f", format, "-F", "raw", expected, raw).ok();
  }
}
