package dev.pvcpopulators.it.layers;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.Initramfs;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// A Job of image-to-qcow2-layers. [#run] adds a termination log and measures the Job with GNU
/// time. By default, machines use the kernel that `.ci/install-test-tools` installs.
///
/// @param work the directory for files outside of the volume
record LayersJob(Launch launch, Path work) {
  static final Duration LIMIT = Duration.ofMinutes(10);
  private static final String PREFIX = "IMAGE_TO_QCOW2_LAYERS_";

  /// Returns a Job that writes to a volume.
  ///
  /// @param target the directory of the volume
  static LayersJob into(Path target, Path work) {
    Path kernel = Initramfs.kernel().resolveSibling("");
    return new LayersJob(Launch.of("image-to-qcow2-layers", target), work)
        .set("KERNEL", kernel.toString());
  }

  /// Sets the reference of an image in a registry, and permits plain HTTP for this registry only.
  LayersJob from(Registry registry, String repositoryAndTag) {
    return from(registry.image(repositoryAndTag)).set("INSECURE_REGISTRIES", registry.address());
  }

  LayersJob from(String image) {
    return set("IMAGE", image);
  }

  LayersJob named(String name) {
    return set("NAME", name);
  }

  /// Names a directory without a kernel, so that the machine gets no boot files. For tests that do
  /// not boot the machine.
  LayersJob unbootable() {
    return set("KERNEL", work.toString());
  }

  /// Sets a setting of the service.
  ///
  /// @param key the name of the setting, without the prefix `IMAGE_TO_QCOW2_LAYERS_`
  LayersJob set(String key, String value) {
    return with(PREFIX + key, value);
  }

  LayersJob with(String variable, String value) {
    return new LayersJob(launch.with(variable, value), work);
  }

  /// Runs the Job through a wrapper program.
  ///
  /// @param program the wrapper program and its arguments
  LayersJob under(String... program) {
    return new LayersJob(launch.under(program), work);
  }

  /// Runs the Job and waits for its end.
  ///
  /// @param arguments the arguments of the service; if there are none, `--once`
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

  /// Starts the Job and does not wait for its end.
  Service begin() throws IOException {
    return new Service(launch.once().begin(), false);
  }
}
