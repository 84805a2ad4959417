package dev.pvcpopulators.it.cluster;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The programs of Kubernetes that the tests run. If the environment variable `KUBERNETES_BINARIES`
/// is not blank, the variable names the directory of the programs. Otherwise, the tests run the
/// programs that `.ci/kubernetes-binaries` has built. A missing program fails the test.
///
/// @param directory the directory of the programs
/// @param version the version of Kubernetes, such as `1.20.2`
public record KubernetesBinaries(Path directory, String version) {
  /// The version that `.ci/kubernetes-binaries` builds.
  public static final String VERSION = "1.20.2";

  /// The build number, equal to the number in `.ci/kubernetes-binaries`. The number increases with
  /// each change of the build.
  private static final int BUILD = 2;

  private static final String SETTING = "KUBERNETES_BINARIES";
  private static final Pattern NUMBERS = Pattern.compile("v(1\\.\\d+\\.\\d+)");

  /// Returns the programs in the directory that `KUBERNETES_BINARIES` names. If this variable is
  /// unset or blank, returns the programs below `${XDG_CACHE_HOME:-$HOME/.cache}`.
  public static KubernetesBinaries found() throws IOException {
    Optional<Path> other =
        Optional.ofNullable(System.getenv(SETTING)).filter(text -> !text.isBlank()).map(Path::of);
    return other.isPresent() ? of(other.get()) : built();
  }

  private static KubernetesBinaries of(Path directory) throws IOException {
    Path server = directory.resolve("kube-apiserver");
    String printed = Command.tried(List.of(server.toString(), "--version")).ok().out();
    Matcher numbers = NUMBERS.matcher(printed);
    if (!numbers.find()) {
      throw new AssertionError(
          "Asking %s for its version: expected v1.X.Y, found %s".formatted(server, printed));
    }
    return new KubernetesBinaries(directory, numbers.group(1));
  }

  private static KubernetesBinaries built() {
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
    return new KubernetesBinaries(directory, VERSION);
  }

  /// Returns whether the programs are of Kubernetes 1.`minor` or later.
  public boolean since(int minor) {
    return Integer.parseInt(version.replaceFirst("1\\.(\\d+).*", "$1")) >= minor;
  }

  /// Returns the path of a program, such as `kube-apiserver`. Fails the test if the directory has
  /// no such program.
  public String program(String name) {
    Path program = directory.resolve(name);
    if (!Files.isExecutable(program)) {
      throw new AssertionError(
          ("Looking for %s: expected a program at %s, found none; complete %s, or unset %s"
                  + " and run %s")
              .formatted(name, program, directory, SETTING, ".ci/kubernetes-binaries"));
    }
    return program.toString();
  }
}
