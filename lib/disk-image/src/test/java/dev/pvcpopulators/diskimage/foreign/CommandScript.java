package dev.pvcpopulators.diskimage.foreign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Creates a script that replaces `qemu-img` and never ends.
final class CommandScript {
  private CommandScript() {}

  static Path endless(Path directory) throws IOException {
    Path script = Files.writeString(directory.resolve("endless"), "#!/bin/sh\nexec sleep 1000\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }
}
