package dev.pvcpopulators.it.layers;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Initramfs;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Registry;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// image-to-qcow2-layers as a Job, with a termination log, and GNU time above it. Machines get the
/// kernel that `.ci/install-test-tools` unpacks.
///
/// @param work where what it leaves beside the volume is kept
record LayersJob(Launch launch, Path work) {
  static final Duration LIMIT = Duration.ofMinutes(10);
  private static final String PREFIX = "IMAGE_TO_QCOW2_LAYERS_";

  /// Into a directory.
  static LayersJob into(Path target, Path work) {
    Path kernel = Initramfs.kernel().resolveSibling("");
    return new LayersJob(Launch.of("image-to-qcow2-layers", target), work)
        .set("KERNEL", kernel.toString());
  }

  /// Whatever the reference says, with the registry's plain HTTP allowed where it has that.
  LayersJob from(Registry registry, String repositoryAndTag) {
    return from(registry.image(repositoryAndTag)).set("INSECURE_REGISTRIES", registry.address());
  }

  LayersJob from(String image) {
    return set("IMAGE", image);
  }

  /// The machine's name.
  LayersJob named(String name) {
    return set("NAME", name);
  }

  /// For disks that nobody boots: without what it takes to boot them, each is made faster.
  LayersJob unbootable() {
    return set("KERNEL", work.toString());
  }

  /// @param key of this service, without its prefix
  LayersJob set(String key, String value) {
    return with(PREFIX + key, value);
  }

  LayersJob with(String variable, String value) {
    return new LayersJob(launch.with(variable, value), work);
  }

  /// Below a program, with its arguments.
  LayersJob under(String... program) {
    return new LayersJob(launch.under(program), work);
  }

  /// Runs it to its end.
  ///
  /// @param arguments instead of `--once`
  CopyOutcome run(String... arguments) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(work, "job");
    Path message = directory.resolve("termination-log");
    Path figures = directory.resolve("figures");
    Launch measured =
        launch
            .with("POPULATOR_TERMINATION_LOG", message.toString())
            .above("/usr/bin/time", "-q", "-f", "%M %O", "-o", figures.toString())
            .arguments(arguments.length == 0 ? new String[] {"--once"} : arguments);
    try (Service service = new Service(measured.begin(), false)) {
      int exit = service.awaitExit(LIMIT);
      String text = Files.exists(message) ? Files.readString(message) : "";
      String[] numbers = Files.readAllLines(figures).getLast().split(" ", 2);
      return new CopyOutcome(
          exit,
          text,
          service.log(),
          1024 * Long.parseLong(numbers[0]),
          512 * Long.parseLong(numbers[1]));
    }
  }

  /// Starts it and does not wait for it.
  Service begin() throws IOException {
    return new Service(launch.once().begin(), false);
  }
}
