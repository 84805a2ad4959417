package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Records with strace the files that a process and its children create, open or flush.
public final class Strace {
  /// Matches a call that creates or opens a file, in the output of `strace -y`. Group 1 is the
  /// directory that a relative path starts from; group 2 is the path.
  private static final Pattern OPENED =
      Pattern.compile("\\w+\\((?:[^,\"<]*<([^>]*)>, )?\"([^\"]*)\".*\\) = \\d+");

  private Strace() {}

  /// Returns a wrapper command (strace) that records the calls that flush files.
  public static String[] syncing(Path trace) {
    return noting(trace, "fsync,fdatasync,sync_file_range");
  }

  /// Returns a wrapper command (strace) that records the calls that create or open files.
  public static String[] opening(Path trace) {
    return noting(trace, "open,openat,openat2,creat,mkdir,mkdirat,mknodat");
  }

  private static String[] noting(Path trace, String calls) {
    return new String[] {
      "strace",
      "-f",
      "-y",
      "--seccomp-bpf",
      "-qq",
      "-s",
      "4096",
      "-o",
      trace.toString(),
      "-e",
      "trace=" + calls
    };
  }

  /// Returns the number of recorded calls with a file below a directory.
  ///
  /// @param trace a trace that contains only calls that flush a file
  public static long synced(Path trace, Path directory) throws IOException {
    return Files.readAllLines(trace).stream()
        .filter(line -> line.contains("<" + directory + "/"))
        .count();
  }

  /// Returns the calls that created a file or directory outside the volume, or opened a file
  /// outside the volume for writing. Ignores files in /dev and /proc.
  public static List<String> openedOutside(Path trace, Path volume) throws IOException {
    List<String> found = new ArrayList<>();
    for (String line : Files.readAllLines(trace)) {
      Matcher matcher = OPENED.matcher(line);
      if (!line.contains("O_RDONLY") && matcher.find()) {
        String directory = matcher.group(1) == null ? "/" : matcher.group(1);
        Path path = Path.of(directory).resolve(matcher.group(2));
        boolean allowed =
            path.startsWith(volume) || path.startsWith("/dev") || path.startsWith("/proc");
        if (!allowed) {
          found.add(line);
        }
      }
    }
    return found;
  }
}
