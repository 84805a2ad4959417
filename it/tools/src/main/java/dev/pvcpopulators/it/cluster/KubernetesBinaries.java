package dev.pvcpopulators.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

/// The programs of Kubernetes that the tests run, in the directory where `.ci/kubernetes-binaries`
/// puts them. A missing program fails the test.
public record KubernetesBinaries(Path directory) {
  /// The version that the script builds.
  public static final String VERSION = "1.20.2";

  /// The number of the build, equal to that of the script. It increases when the script changes how
  /// it builds.
  private static final int BUILD = 2;

  /// Returns the programs in `${XDG_CACHE_HOME:-$HOME/.cache}`.
  public static KubernetesBinaries found() {
    String cache = System.getenv("XDG_CACHE_HOME");
    Path parent =
        cache == null || cache.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(cache);
    Path directory =
        parent.resolve("pvc-populators").resolve("kubernetes-" + VERSION + "-" + BUILD);
    if (!Files.isDirectory(directory)) {
      throw new AssertionError(
          "Looking for Kubernetes %s: expected its programs in %s, found none; run %s"
              .formatted(VERSION, directory, ".ci/kubernetes-binaries"));
    }
    return new KubernetesBinaries(directory);
  }

  /// Returns the path of a program, such as `kube-apiserver`.
  public String program(String name) {
    Path program = directory.resolve(name);
    if (!Files.isExecutable(program)) {
      throw new AssertionError(
          "Looking for %s: expected a program at %s, found none; remove %s and run %s"
              .formatted(name, program, directory, ".ci/kubernetes-binaries"));
    }
    return program.toString();
  }
}
