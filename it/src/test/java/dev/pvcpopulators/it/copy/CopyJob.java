package dev.pvcpopulators.it.copy;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A Job of registry-copy or http-copy with a termination log. [#run] measures the Job with GNU
/// time.
///
/// @param work the directory for the Job's files outside the volume
public record CopyJob(Launch launch, Path work) {
  public static final Duration LIMIT = Duration.ofMinutes(10);

  /// Returns a Job of http-copy.
  ///
  /// @param address the `HOST:PORT` to which the Job may connect with plain HTTP
  /// @param target a directory or a block device
  public static CopyJob of(String url, String address, Path target, Path work) {
    return new CopyJob(Launch.of("http-copy", target), work)
        .with("HTTP_COPY_URL", url)
        .with("HTTP_COPY_INSECURE_HOSTS", address);
  }

  /// Returns a Job of registry-copy for a directory or a block device.
  public static CopyJob onto(Path target, Path work) {
    return new CopyJob(Launch.of("registry-copy", target), work);
  }

  /// Sets the image, and permits plain HTTP for its registry.
  public CopyJob from(Registry registry, String repositoryAndTag) {
    return from(registry.image(repositoryAndTag)).insecure(registry.address());
  }

  public CopyJob from(String image) {
    return with("REGISTRY_COPY_IMAGE", image);
  }

  /// Permits plain HTTP for the given registries only.
  ///
  /// @param addresses `HOST:PORT[,HOST:PORT]`
  public CopyJob insecure(String addresses) {
    return with("REGISTRY_COPY_INSECURE_REGISTRIES", addresses);
  }

  public CopyJob with(String setting, String value) {
    return new CopyJob(launch.with(setting, value), work);
  }

  /// Returns the same Job without the JVM options that tests add to save time.
  public CopyJob shipped() {
    return new CopyJob(launch.shipped(), work);
  }

  /// Runs the Job and waits for its end.
  ///
  /// @param arguments the arguments of the service; if there are none, `--once`
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

  /// Starts the Job through a wrapper program, and does not wait for its end. The caller must close
  /// the result.
  ///
  /// @param wrapper the wrapper program and its arguments; empty if the Job needs no wrapper
  public Service begin(String... wrapper) throws IOException {
    return new Service(launch.under(wrapper).once().begin(), false);
  }
}
