package dev.pvcpopulators.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// A mount in `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
///
/// A mount has the options that were given at mounting or at the last remount. If a file system
/// becomes read-only after an error, the options of the file system change, but the options of the
/// mount do not change. So the options of the mount show whether the mount itself is read-only. The
/// error number EROFS and the flag ST_RDONLY of statvfs(3) do not distinguish a read-only mount
/// from a file system that became read-only after an error.
///
/// @param point the mount point
/// @param options the options of this mount, such as `rw` and `noatime`, but not the options of its
///   file system
public record Mount(Path point, Set<String> options) {
  private static final Path TABLE = Path.of("/proc/self/mountinfo");
  private static final int POINT = 4;
  private static final int OPTIONS = 5;
  private static final int OCTAL_DIGITS = 3;

  public Mount {
    options = Set.copyOf(options);
  }

  /// Finds the mount that contains a file or directory.
  ///
  /// @param path must exist; symbolic links are followed
  public static Mount of(Path path) throws IOException {
    Path real = path.toRealPath();
    return of(real, Files.readAllLines(TABLE).stream());
  }

  /// Finds the mount that contains a file or directory in a table of mounts.
  ///
  /// @param real the absolute path of the file or directory, without symbolic links
  /// @param lines the lines of the table; if several lines have the same mount point, the method
  ///   uses the last of them
  static Mount of(Path real, Stream<String> lines) throws IOException {
    return lines
        .map(Mount::parse)
        .filter(mount -> real.startsWith(mount.point))
        .reduce((a, b) -> b.point.startsWith(a.point) ? b : a)
        .orElseThrow(() -> new IOException("Cannot find " + real + " in " + TABLE));
  }

  private static Mount parse(String line) {
    String[] fields = line.split(" ", OPTIONS + 2);
    return new Mount(
        Path.of(unescape(fields[POINT])), Set.copyOf(List.of(fields[OPTIONS].split(","))));
  }

  /// Decodes the octal escapes of a space, a tab, a line feed and a backslash.
  private static String unescape(String field) {
    StringBuilder plain = new StringBuilder();
    int at = 0;
    while (at < field.length()) {
      char c = field.charAt(at++);
      if (c == '\\') {
        c = (char) Integer.parseInt(field, at, at + OCTAL_DIGITS, Byte.SIZE);
        at += OCTAL_DIGITS;
      }
      plain.append(c);
    }
    return plain.toString();
  }

  /// Returns whether the mount is read-only.
  public boolean readOnly() {
    return options.contains("ro");
  }
}
