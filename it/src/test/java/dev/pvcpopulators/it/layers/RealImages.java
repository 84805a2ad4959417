package dev.pvcpopulators.it.layers;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayersVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Images of Debian packages made by other tools (`images/make.sh`), and the lists of what umoci
/// unpacks.
public final class RealImages {
  /// The OCI layout made by `.ci/install-test-tools`.
  public static final Path LAYOUT = Path.of("/var/cache/pvc-populators/images");

  /// Four with a common base, and an empty one.
  public static final List<String> NAMES =
      List.of("minbase", "python", "nginx", "postgres", "busybox");

  private static final Map<String, CopyOutcome> CONVERTED = new HashMap<>();
  private static @Nullable LayersVolume shared;

  private RealImages() {}

  /// Returns `oci:LAYOUT:NAME`.
  public static String reference(String name) {
    return "oci:" + require(LAYOUT) + ":" + name;
  }

  /// Returns the list of what umoci unpacked.
  public static TreeList expected(String name) throws IOException {
    return TreeList.read(require(LAYOUT.resolve("trees").resolve(name)));
  }

  /// Returns an image's layers, from the bottom up.
  public static List<Content> layers(String name) throws IOException {
    return layout().layers(name);
  }

  /// Returns all images.
  public static ImageLayout layout() throws IOException {
    return ImageLayout.at(require(LAYOUT));
  }

  /// Converts an image into a volume shared by all tests of this process, unless this was done
  /// before. Tests must not write to the volume's machines.
  public static synchronized CopyOutcome converted(String name)
      throws IOException, InterruptedException {
    CopyOutcome before = CONVERTED.get(name);
    if (before != null) {
      return before;
    }
    CopyOutcome outcome =
        LayersJob.into(volume().path(), volume().path().resolveSibling(""))
            .from(reference(name))
            .named(name)
            .run()
            .ok();
    CONVERTED.put(name, outcome);
    return outcome;
  }

  /// Returns the volume of [#converted].
  public static synchronized LayersVolume volume() throws IOException {
    if (shared == null) {
      Path directory = Files.createTempDirectory("layers");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> Command.run("rm", "-rf", directory)));
      shared = LayersVolume.in(directory, "volume");
    }
    return shared;
  }

  private static Path require(Path file) {
    if (Files.notExists(file)) {
      throw new AssertionError(file + " is missing: run .ci/install-test-tools");
    }
    return file;
  }
}
