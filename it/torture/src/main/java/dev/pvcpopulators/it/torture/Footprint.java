package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The resources of a process after a garbage collection.
///
/// @param descriptors the number of open file descriptors
/// @param threads the number of threads
/// @param heap the number of bytes of the heap that are in use
/// @param resident the number of bytes of the resident set outside the heap. `-Xmx` limits the
///   heap, and the garbage collector may return memory of the heap to the kernel at any time.
///   Therefore `resident` excludes the heap.
record Footprint(long descriptors, long threads, long heap, long resident) {
  private static final long KIB = 1024;
  private static final int HEXADECIMAL = 16;

  /// The permitted growth after the first rounds. Some growth is permitted, because caches, thread
  /// pools and connection pools may still grow.
  private static final Footprint MOST_GROWTH = new Footprint(8, 8, 4 << 20, 32 << 20);

  /// Matches a generation's used size in the output of `jcmd PID GC.heap_info` (serial collector).
  private static final Pattern USED = Pattern.compile("(?:DefNew|Tenured).*? used (\\d+)K");

  /// Matches a generation's reserved address range in the output of `jcmd PID GC.heap_info`.
  private static final Pattern REGION =
      Pattern.compile("\\[0x([0-9a-f]+), 0x[0-9a-f]+, 0x([0-9a-f]+)\\)");

  private static final Pattern THREADS = Pattern.compile("Threads:\\s+(\\d+)");

  /// Matches the start address or the resident size of a mapping in `/proc/PID/smaps`
  /// (proc_pid_smaps(5)).
  private static final Pattern MAPPING =
      Pattern.compile("(?m)^([0-9a-f]+)-[0-9a-f]+ .*|^Rss:\\s+(\\d+) kB");

  static Footprint of(Service service) throws IOException {
    String pid = Long.toString(service.pid());
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Command.run(jcmd, pid, "GC.run");
    String generations = Command.run(jcmd, pid, "GC.heap_info");
    long heap = 0;
    Matcher used = USED.matcher(generations);
    while (used.find()) {
      heap += Long.parseLong(used.group(1)) * KIB;
    }
    Path proc = Path.of("/proc", pid);
    Matcher threads = THREADS.matcher(Files.readString(proc.resolve("status")));
    if (!threads.find()) {
      throw new IOException("No number of threads in " + proc.resolve("status"));
    }
    try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
      return new Footprint(
          descriptors.count(),
          Long.parseLong(threads.group(1)),
          heap,
          resident(Files.readString(proc.resolve("smaps")), generations));
    }
  }

  private static long resident(String mappings, String generations) {
    long first = Long.MAX_VALUE;
    long end = 0;
    Matcher region = REGION.matcher(generations);
    while (region.find()) {
      first = Math.min(first, Long.parseUnsignedLong(region.group(1), HEXADECIMAL));
      end = Math.max(end, Long.parseUnsignedLong(region.group(2), HEXADECIMAL));
    }
    long resident = 0;
    long at = 0;
    Matcher mapping = MAPPING.matcher(mappings);
    while (mapping.find()) {
      if (mapping.group(1) != null) {
        at = Long.parseUnsignedLong(mapping.group(1), HEXADECIMAL);
      } else if (at < first || at >= end) {
        resident += Long.parseLong(mapping.group(2)) * KIB;
      }
    }
    return resident;
  }

  /// Returns whether this footprint exceeds an earlier footprint of the same process by more than
  /// the permitted growth.
  boolean hasGrownBeyond(Footprint earlier) {
    return descriptors > earlier.descriptors + MOST_GROWTH.descriptors
        || threads > earlier.threads + MOST_GROWTH.threads
        || heap > earlier.heap + MOST_GROWTH.heap
        || resident > earlier.resident + MOST_GROWTH.resident;
  }

  @Override
  public String toString() {
    return "%d descriptors, %d threads, %d KiB of heap, %d KiB resident outside the heap"
        .formatted(descriptors, threads, heap / KIB, resident / KIB);
  }
}
