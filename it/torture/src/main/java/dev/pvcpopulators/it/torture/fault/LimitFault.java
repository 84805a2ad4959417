package dev.pvcpopulators.it.torture.fault;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The machine gives the process less than it wants, or tells it something else than before.
enum LimitFault implements MachineFault {
  /// It may open a few files more, or none at all.
  FEW_DESCRIPTORS {
    private static final int MOST_LEFT = 12;

    @Override
    public void strike(FaultContext scene) throws IOException {
      try (Stream<Path> files = Files.list(Path.of("/proc/" + scene.service().pid() + "/fd"))) {
        limit(scene, Long.toString(files.count() + scene.random().nextInt(MOST_LEFT)));
      } catch (IOException _) {
        return; // The Job has ended.
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
        limit(scene, hard.out().strip()); // What a JVM gives itself as it starts.
      }
    }

    private void limit(FaultContext scene, String soft) throws IOException {
      // Of a process that has ended nothing is limited.
      Command.tried(
          List.of(
              "prlimit", "--pid", Long.toString(scene.service().pid()), "--nofile=" + soft + ":"));
    }

    @Override
    public boolean explainsErrors() {
      return true;
    }
  },
  /// Its heap is too small for anything but small work.
  LOW_MEMORY {
    private static final String HEAP = "-Xmx20m -Xmn4m";

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
  /// The wall clock jumps, by up to twenty years, to either side, and back.
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
          // Otherwise it waits by the wrong clock, and a JVM does not end starting.
          .with("FAKETIME_FORCE_MONOTONIC_FIX", "0")
          // The file is read anew so often (seconds), and not for each of a thousand looks.
          .with("FAKETIME_CACHE_DURATION", "1")
          // A clock that is set leaves the times of files that exist as they are.
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
  public boolean wantsOwnProcess() {
    return false;
  }

  @Override
  public Launch prepare(Launch launch, Path volume) throws IOException {
    return launch;
  }

  @Override
  public void arm(FaultContext scene) {}

  @Override
  public void strike(FaultContext scene) throws IOException {
    scene.wire().open();
  }

  @Override
  public void heal(FaultContext scene) throws IOException {}

  @Override
  public void remove(Path volume) throws IOException {}

  @Override
  public Set<Integer> exits() {
    return Set.of();
  }

  @Override
  public boolean explainsErrors() {
    return false;
  }
}
