package dev.pvcpopulators.diskimage.foreign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// Creates scripts that replace `qemu-img`.
final class CommandScript {
  private CommandScript() {}

  static Path endless(Path directory) throws IOException {
    return script(directory.resolve("endless"), "exec sleep 1000");
  }

  /// Creates a script that writes 1 MB to standard error, and fails with status 1. If the caller
  /// does not read standard error to the end, the script fails with status 141, as after a SIGPIPE.
  static Path verbose(Path directory) throws IOException {
    return script(
        directory.resolve("verbose"),
        "echo first words >&2; head -c 1000000 /dev/zero >&2 || exit 141; exit 1");
  }

  private static Path script(Path file, String commands) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + commands + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
