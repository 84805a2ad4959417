package dev.pvcpopulators.diskimage.foreign;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.it.Command;
import java.nio.file.Path;

/// Creates scripts that replace `qemu-img`.
final class CommandScript {
  private CommandScript() {}

  static Path endless(Path directory) {
    return script(directory.resolve("endless"), "exec sleep 1000");
  }

  /// Creates a script that writes 1 MB to standard error, and fails with status 1. If the caller
  /// does not read standard error to the end, the script fails with status 141, as after a SIGPIPE.
  static Path verbose(Path directory) {
    return script(
        directory.resolve("verbose"),
        "echo first words >&2; head -c 1000000 /dev/zero >&2 || exit 141; exit 1");
  }

  /// Another process writes the script. If this JVM opened the file, a child process of another
  /// test class could inherit the descriptor for a moment. During this time, the kernel would
  /// refuse to execute the script (`ETXTBSY`).
  private static Path script(Path file, String commands) {
    Command.of("sh", "-c", "cat >\"$0\" && chmod 700 \"$0\"", file)
        .bytes(("#!/bin/sh\n" + commands + "\n").getBytes(UTF_8));
    return file;
  }
}
