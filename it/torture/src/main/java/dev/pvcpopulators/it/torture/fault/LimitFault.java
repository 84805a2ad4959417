package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// A fault that limits the resources of the process, or changes its wall clock.
enum LimitFault implements MachineFault {
  /// The process may open only a few more files, or none.
  FEW_DESCRIPTORS {
    private static final int MOST_LEFT = 12;

    @Override
    public void strike(FaultContext scene) throws IOException {
      try (Stream<Path> files = Files.list(Path.of("/proc/" + scene.service().pid() + "/fd"))) {
        limit(scene, Long.toString(files.count() + scene.random().nextInt(MOST_LEFT)));
      } catch (IOException _) {
        return; // The process of the Job has ended.
      }
      scene.wire().open();
    }

    @Override
    public void heal(FaultContext scene) throws IOException {
      String pid = Long.toString(scene.service().pid());
      Command.Ran hard =
          Command.tried(
              List.of("prlimit", "--pid", pid, "--nofile", "--noheadings", "--output", "HARD"));
      if (hard.status() == 0) {
        // Restores the earlier soft limit. A JVM sets its soft limit to the hard limit when it
        // starts.
        limit(scene, hard.out().strip());
      }
    }

    private void limit(FaultContext scene, String soft) throws IOException {
      // prlimit fails if the process has ended.
      Command.tried(
          List.of(
              "prlimit", "--pid", Long.toString(scene.service().pid()), "--nofile=" + soft + ":"));
    }

    @Override
    public boolean explainsErrors() {
      return true;
    }
  },
  /// The heap is large enough only for small jobs.
  LOW_MEMORY {
    private static final String HEAP = "-Xms16m -Xmx20m -Xmn4m";

    @Override
    public boolean wantsOwnProcess() {
      return true;
    }

    @Override
    public Launch prepare(Launch launch, Path volume) {
      String options = launch.settings().getOrDefault("JAVA_OPTS", "");
      return launch.with("JAVA_OPTS", options + " " + HEAP);
    }

    @Override
    public boolean explainsErrors() {
      return true;
    }
  },
  /// The wall clock jumps forward or back by up to twenty years. When the fault ends, the clock
  /// jumps back to the correct time.
  CLOCK_JUMP {
    private static final String LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
    private static final int MOST_HOURS = 20 * 365 * 24;

    @Override
    public boolean wantsOwnProcess() {
      return true;
    }

    @Override
    public Launch prepare(Launch launch, Path volume) throws IOException {
      jump(clock(volume), 0);
      return launch
          .with("LD_PRELOAD", LIBRARY)
          .with("FAKETIME_TIMESTAMP_FILE", clock(volume).toString())
          .with("FAKETIME_DONT_FAKE_MONOTONIC", "1")
          // Without FAKETIME_FORCE_MONOTONIC_FIX=0, waiting threads use the wrong clock, and a JVM
          // never completes its start.
          .with("FAKETIME_FORCE_MONOTONIC_FIX", "0")
          // With FAKETIME_CACHE_DURATION=1, libfaketime reads the timestamp file at most once a
          // second. By default, libfaketime reads the file at most once in ten seconds.
          .with("FAKETIME_CACHE_DURATION", "1")
          // With NO_FAKE_STAT=1, a changed clock does not change the times that `stat` returns.
          .with("NO_FAKE_STAT", "1");
    }

    @Override
    public void strike(FaultContext scene) throws IOException {
      jump(clock(scene.volume()), scene.random().nextInt(-MOST_HOURS, MOST_HOURS));
      scene.wire().open();
    }

    @Override
    public void heal(FaultContext scene) throws IOException {
      jump(clock(scene.volume()), 0);
    }

    @Override
    public void remove(Path volume) throws IOException {
      Files.deleteIfExists(clock(volume));
    }

    private static Path clock(Path volume) {
      return volume.resolveSibling(volume.getFileName() + ".clock");
    }

    private static void jump(Path clock, int hours) throws IOException {
      Files.writeString(clock, (hours < 0 ? "" : "+") + hours + "h\n");
    }
  };

  @Override
  public void strike(FaultContext scene) throws IOException {
    scene.wire().open();
  }
}
