package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// strace: which files a process and its children open.
public final class Strace {
  /// A call that makes or opens a file, as `strace -y` prints it: group 1 is the directory that a
  /// relative path begins at, group 2 the path.
  private static final Pattern OPENED =
      Pattern.compile("\\w+\\((?:[^,\"<]*<([^>]*)>, )?\"([^\"]*)\".*\\) = \\d+");

  private Strace() {}

  /// The program and its arguments, to run another under: notes what makes files durable.
  public static String[] syncing(Path trace) {
    return noting(trace, "fsync,fdatasync,sync_file_range");
  }

  /// The program and its arguments, to run another under: notes what opens files.
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

  /// Calls that made a file below a directory durable, so far.
  public static long synced(Path trace, Path directory) throws IOException {
    return Files.readAllLines(trace).stream()
        .filter(line -> line.contains("<" + directory + "/"))
        .count();
  }

  /// The calls that opened something for writing outside the volume. Devices and what the kernel
  /// shows of the process itself are no files.
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
