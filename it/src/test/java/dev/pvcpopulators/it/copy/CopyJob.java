package dev.pvcpopulators.it.copy;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Registry;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// registry-copy as a Job, with a termination log, and GNU time above it.
///
/// @param work where what it leaves beside the volume is kept
public record CopyJob(Launch launch, Path work) {
  public static final Duration LIMIT = Duration.ofMinutes(10);

  /// Onto a directory or a block device.
  public static CopyJob onto(Path target, Path work) {
    return new CopyJob(Launch.of("registry-copy", target), work);
  }

  /// Whatever the reference says, with the registry's plain HTTP allowed where it has that.
  public CopyJob from(Registry registry, String repositoryAndTag) {
    return from(registry.image(repositoryAndTag)).insecure(registry.address());
  }

  public CopyJob from(String image) {
    return with("REGISTRY_COPY_IMAGE", image);
  }

  /// Allows plain HTTP to some registries.
  ///
  /// @param addresses `HOST:PORT[,HOST:PORT]` that plain HTTP is allowed to
  public CopyJob insecure(String addresses) {
    return with("REGISTRY_COPY_INSECURE_REGISTRIES", addresses);
  }

  public CopyJob with(String setting, String value) {
    return new CopyJob(launch.with(setting, value), work);
  }

  /// Runs it to its end.
  ///
  /// @param arguments beside `--once`
  public CopyOutcome run(String... arguments) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(work, "job");
    Path message = directory.resolve("termination-log");
    Path figures = directory.resolve("figures");
    Launch measured =
        launch
            .with("POPULATOR_TERMINATION_LOG", message.toString())
            .under("/usr/bin/time", "-q", "-f", "%M %O", "-o", figures.toString())
            .arguments(arguments.length == 0 ? new String[] {"--once"} : arguments);
    try (Service service = new Service(measured.begin(), false)) {
      int exit = service.awaitExit(LIMIT);
      String text = Files.exists(message) ? Files.readString(message) : "";
      List<String> lines = Files.readAllLines(figures);
      String[] numbers = lines.getLast().split(" ", 2);
      return new CopyOutcome(
          exit,
          text,
          service.log(),
          1024 * Long.parseLong(numbers[0]),
          512 * Long.parseLong(numbers[1]));
    }
  }

  /// Starts it under a wrapper and does not wait for it.
  public Service begin(String... wrapper) throws IOException {
    return new Service(launch.under(wrapper).once().begin(), false);
  }
}
