package dev.pvcpopulators.it.disk;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Path;

/// The compression of a whole disk image by a program such as gzip.
public enum Wrapping {
  NONE("", ""),
  GZIP(".gz", "gzip -1"),
  ZSTD(".zst", "zstd -q -3"),
  XZ(".xz", "xz -1"),
  BZIP2(".bz2", "bzip2 -1"),
  LZ4(".lz4", "lz4 -q");

  private final String suffix;
  private final String command;

  Wrapping(String suffix, String command) {
    this.suffix = suffix;
    this.command = command;
  }

  /// Compresses a file, and returns the path of the compressed file in the same directory. For
  /// [#NONE], returns the original.
  public Path wrap(Path original) throws IOException, InterruptedException {
    if (command.isEmpty()) {
      return original;
    }
    Path wrapped = original.resolveSibling(original.getFileName() + suffix);
    Command.into(wrapped, "sh", "-c", command + " -c \"$0\"", original.toString());
    return wrapped;
  }
}
