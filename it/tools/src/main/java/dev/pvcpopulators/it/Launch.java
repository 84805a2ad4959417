package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Starts a packaged service with its `run.sh`, on a free port of the loopback address. In `make
/// test`, the service's JVM uses only its first compiler (C1), unless the launch is [#shipped]. The
/// second compiler (C2) would use a third of the CPU time of a start.
///
/// @param service the name of the service's module
/// @param settings environment variables
/// @param wrapper a program that starts the service, and the program's own arguments
/// @param arguments the arguments of the service
public record Launch(
    String service, Map<String, String> settings, List<String> wrapper, List<String> arguments) {
  private static final Duration JOB_LIMIT = Duration.ofMinutes(10);
  private static final String JAVA_OPTS = "JAVA_OPTS";

  /// Additional flags of the JVM; empty in `make nightly`.
  public static final String FLAGS = Rounds.all() ? "" : "-XX:TieredStopAtLevel=1";

  /// Prefixes of environment variables that the service must not inherit from the test's process:
  /// settings of services, of Quarkus, of the JVM, of registries and of proxies.
  private static final List<String> CONFIGURING =
      List.of(
          "POPULATOR_",
          "REGISTRY_",
          "QUARKUS_",
          "DOCKER_",
          JAVA_OPTS,
          "JAVA_TOOL_OPTIONS",
          "HTTP_PROXY",
          "HTTPS_PROXY",
          "NO_PROXY");

  public Launch {
    settings = Map.copyOf(settings);
    wrapper = List.copyOf(wrapper);
    arguments = List.copyOf(arguments);
  }

  /// Returns the prefix of a service's own settings.
  public static String prefix(String service) {
    return service.toUpperCase(Locale.ROOT).replace('-', '_') + "_";
  }

  /// Returns whether a service pulls images, and therefore has the setting `IMAGE`.
  public static boolean takesImages(String service) {
    return !service.startsWith("http-");
  }

  /// Returns a launch of http-upload with a directory or a block device as its volume.
  public static Launch on(Path target) {
    return of("http-upload", target);
  }

  /// Returns a launch of a service with a directory or a block device as its volume.
  public static Launch of(String service, Path target) {
    return new Launch(
        service,
        Map.of(
            "POPULATOR_TARGET",
            target.toString(),
            "POPULATOR_CLAIM_NAME",
            "some-pvc-name",
            "QUARKUS_HTTP_HOST",
            "127.0.0.1",
            "QUARKUS_HTTP_PORT",
            "0",
            JAVA_OPTS,
            FLAGS),
        List.of(),
        List.of());
  }

  /// Returns the same launch without [#FLAGS], for measurements of memory and load.
  public Launch shipped() {
    return with(JAVA_OPTS, "");
  }

  public Launch with(String setting, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(setting, value);
    return new Launch(service, more, wrapper, arguments);
  }

  /// Returns a launch with another wrapper, which replaces all existing wrappers.
  public Launch under(String... program) {
    return new Launch(service, settings, List.of(program), arguments);
  }

  /// Returns a launch with an additional outer wrapper.
  public Launch above(String... program) {
    List<String> more = new ArrayList<>(List.of(program));
    more.addAll(wrapper);
    return new Launch(service, settings, more, arguments);
  }

  /// Returns a launch that runs the service as a Job (`--once`).
  public Launch once() {
    return arguments("--once");
  }

  /// Returns a launch with other arguments.
  public Launch arguments(String... given) {
    return new Launch(service, settings, wrapper, List.of(given));
  }

  /// Starts the service and waits until it listens.
  public Service start() throws IOException, InterruptedException {
    Service service = new Service(begin());
    service.awaitListening();
    return service;
  }

  /// Starts the service and returns its exit status. Fails the test if the service does not end
  /// within ten minutes.
  public int refused() throws IOException, InterruptedException {
    Process process = begin();
    try (Service service = new Service(process)) {
      if (!process.waitFor(JOB_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("The service did not refuse to start\n" + service.log());
      }
      return process.exitValue();
    }
  }

  /// Starts the service and does not wait until it listens.
  public Process begin() throws IOException {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Command.root().resolve(service).resolve("run.sh").toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(Launch::configures);
    builder.environment().putAll(settings);
    return builder.start();
  }

  private static boolean configures(String variable) {
    return Stream.concat(CONFIGURING.stream(), Services.names().stream().map(Launch::prefix))
        .anyMatch(variable.toUpperCase(Locale.ROOT)::startsWith);
  }
}
