package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Images that other people's tools made of Debian's packages (`images/make.sh`), and what umoci
/// unpacks of each.
final class RealImages {
  /// Where `.ci/install-test-tools` puts them: an OCI layout.
  static final Path LAYOUT = Path.of("/var/cache/pvc-populators/images");

  /// Four of one base, and one without anything.
  static final List<String> NAMES = List.of("minbase", "python", "nginx", "postgres", "busybox");

  private RealImages() {}

  /// `oci:LAYOUT:NAME`.
  static String reference(String name) {
    return "oci:" + require(LAYOUT) + ":" + name;
  }

  /// What umoci unpacked of it.
  static TreeList expected(String name) throws IOException {
    return TreeList.read(require(LAYOUT.resolve("trees").resolve(name)));
  }

  /// Its layers, from the bottom up.
  static List<Content> layers(String name) throws IOException {
    return layout().layers(name);
  }

  /// All of them, as they lie.
  static ImageLayout layout() throws IOException {
    return ImageLayout.at(require(LAYOUT));
  }

  private static Path require(Path file) {
    if (Files.notExists(file)) {
      throw new AssertionError(file + " is missing: run .ci/install-test-tools");
    }
    return file;
  }
}
