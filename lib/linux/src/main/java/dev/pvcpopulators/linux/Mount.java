package dev.pvcpopulators.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// A mount, as `/proc/self/mountinfo` has it (proc_pid_mountinfo(5)).
///
/// Its options are those that whoever mounted it has chosen. A file system that turned read-only of
/// itself, because it found damage, has that among options of its own: so the two can be told
/// apart, which have one error number, EROFS, and one flag of statvfs(3).
///
/// @param point where it is
/// @param options of this mount, not of its file system: `rw`, `noatime`
public record Mount(Path point, Set<String> options) {
  private static final Path TABLE = Path.of("/proc/self/mountinfo");
  private static final int POINT = 4;
  private static final int OPTIONS = 5;
  private static final int OCTAL_DIGITS = 3;

  public Mount {
    options = Set.copyOf(options);
  }

  /// Finds the mount that a file or directory lies on.
  ///
  /// @param path which exists; links are followed
  public static Mount of(Path path) throws IOException {
    Path real = path.toRealPath();
    return of(real, Files.readAllLines(TABLE).stream());
  }

  /// @param lines of the table; the last of those with the same point hides the others
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

  /// A space, a tab, a line's end and a backslash are written in octal.
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

  /// Whoever mounted it wants nothing written there.
  public boolean readOnly() {
    return options.contains("ro");
  }
}
