package dev.pvcpopulators.it.torture;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What a process has of its machine, after a garbage collection.
///
/// @param descriptors open ones
/// @param heap bytes in use
/// @param resident bytes of its resident set
record Footprint(long descriptors, long threads, long heap, long resident) {
  private static final long KIB = 1024;

  /// By how much it may be larger after many rounds than after a few: pools of threads and of
  /// connections fill up, and caches.
  private static final Footprint MOST_GROWTH = new Footprint(8, 8, 4 << 20, 32 << 20);

  /// Generations of the serial collector, as `jcmd PID GC.heap_info` prints them.
  private static final Pattern USED = Pattern.compile("(?:DefNew|Tenured).*? used (\\d+)K");

  private static final Pattern STATUS = Pattern.compile("(VmRSS|Threads):\\s+(\\d+)");

  static Footprint of(Service service) throws IOException {
    String pid = Long.toString(service.pid());
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Command.run(jcmd, pid, "GC.run");
    long heap = 0;
    Matcher used = USED.matcher(Command.run(jcmd, pid, "GC.heap_info"));
    while (used.find()) {
      heap += Long.parseLong(used.group(1)) * KIB;
    }
    Path proc = Path.of("/proc", pid);
    long threads = 0;
    long resident = 0;
    Matcher status = STATUS.matcher(Files.readString(proc.resolve("status")));
    while (status.find()) {
      long number = Long.parseLong(status.group(2));
      if (status.group(1).equals("Threads")) {
        threads = number;
      } else {
        resident = number * KIB;
      }
    }
    try (Stream<Path> descriptors = Files.list(proc.resolve("fd"))) {
      return new Footprint(descriptors.count(), threads, heap, resident);
    }
  }

  /// Whether it is out of the bound that an earlier one of the same process gives.
  boolean hasGrownBeyond(Footprint earlier) {
    return descriptors > earlier.descriptors + MOST_GROWTH.descriptors
        || threads > earlier.threads + MOST_GROWTH.threads
        || heap > earlier.heap + MOST_GROWTH.heap
        || resident > earlier.resident + MOST_GROWTH.resident;
  }

  @Override
  public String toString() {
    return "%d descriptors, %d threads, %d KiB of heap, %d KiB resident"
        .formatted(descriptors, threads, heap / KIB, resident / KIB);
  }
}
