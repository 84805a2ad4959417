package dev.pvcpopulators.it.layers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LayersVolume;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;

/// Images that `images/make.sh` makes from Debian packages. A list for each image names the files
/// that umoci unpacks.
public final class RealImages {
  /// The OCI layout that `.ci/install-test-tools` makes.
  public static final Path LAYOUT = Path.of("/var/cache/pvc-populators/images");

  /// The names of four images with a common base, and of an image that contains only busybox.
  public static final List<String> NAMES =
      List.of("minbase", "python", "nginx", "postgres", "busybox");

  /// The directory that all test processes share.
  private static final Path SHARED = Command.root().resolve("it/target/layers");

  /// Identifies the run of Maven, or this process if Maven does not run the tests. Tests do not
  /// reuse a volume of an older run, because the converter may have changed.
  private static final String RUN = System.getProperty("tests.run", UUID.randomUUID().toString());

  private RealImages() {}

  /// Returns `oci:LAYOUT:NAME`.
  public static String reference(String name) {
    return "oci:" + require(LAYOUT) + ":" + name;
  }

  /// Returns the list of the files that umoci unpacked from an image.
  public static TreeList expected(String name) throws IOException {
    return TreeList.read(require(LAYOUT.resolve("trees").resolve(name)));
  }

  /// Returns an image's layers, from the bottom up.
  public static List<Content> layers(String name) throws IOException {
    return layout().layers(name);
  }

  /// Returns the layout with all images.
  public static ImageLayout layout() throws IOException {
    return ImageLayout.at(require(LAYOUT));
  }

  /// Converts an image into the shared volume, if no test of this run has already converted the
  /// image. Tests must not write to the machine that this method makes.
  ///
  /// @return the details that the Job reported
  public static synchronized JsonNode converted(String name)
      throws IOException, InterruptedException {
    Files.createDirectories(SHARED);
    try (FileChannel channel =
            FileChannel.open(
                SHARED.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      Path run = SHARED.resolve("run");
      if (Files.notExists(run) || !Files.readString(run).equals(RUN)) {
        Command.run("rm", "-rf", run, volume().path(), SHARED.resolve("jobs"));
        Files.createDirectory(volume().path());
        Files.createDirectory(SHARED.resolve("jobs"));
        Files.writeString(run, RUN);
      }
      Path details = SHARED.resolve("jobs").resolve(name);
      if (Files.notExists(details)) {
        CopyOutcome outcome =
            LayersJob.into(volume().path(), SHARED.resolve("jobs"))
                .from(reference(name))
                .named(name)
                .run()
                .ok();
        System.out.printf(
            "RealImages: %s: peak resident set %d MiB, %s%n",
            name, outcome.residentBytes() >> 20, outcome.details());
        Files.writeString(details, outcome.details().toString());
      }
      return Json.file(details);
    }
  }

  /// Returns the shared volume, into which [#converted] converts images.
  public static LayersVolume volume() {
    return new LayersVolume(SHARED.resolve("volume"));
  }

  private static Path require(Path file) {
    if (Files.notExists(file)) {
      throw new AssertionError(file + " is missing: run .ci/install-test-tools");
    }
    return file;
  }
}
