package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// How the packaged http-upload is started: its own `run.sh`, on a free port of the loopback
/// address.
///
/// @param settings environment variables
/// @param wrapper a program, with its arguments, that runs it
/// @param arguments its own arguments
record Launch(Map<String, String> settings, List<String> wrapper, List<String> arguments) {
  private static final Duration JOB_LIMIT = Duration.ofMinutes(1);

  Launch {
    settings = Map.copyOf(settings);
    wrapper = List.copyOf(wrapper);
    arguments = List.copyOf(arguments);
  }

  /// On a directory or a block device, with nothing else set.
  static Launch on(Path target) {
    return new Launch(
        Map.of(
            "POPULATOR_TARGET", target.toString(),
            "POPULATOR_CLAIM_NAME", "some-pvc-name",
            "QUARKUS_HTTP_HOST", "127.0.0.1",
            "QUARKUS_HTTP_PORT", "0"),
        List.of(),
        List.of());
  }

  Launch with(String setting, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(setting, value);
    return new Launch(more, wrapper, arguments);
  }

  Launch under(String... program) {
    return new Launch(settings, List.of(program), arguments);
  }

  /// As a Job: `--once`.
  Launch once() {
    return new Launch(settings, wrapper, List.of("--once"));
  }

  /// Starts it and waits until it listens.
  Service start() throws IOException, InterruptedException {
    Service service = new Service(begin());
    service.awaitListening();
    return service;
  }

  /// Starts it where it has to refuse to start, and gives its exit status.
  int refused() throws IOException, InterruptedException {
    Process process = begin();
    try (Service service = new Service(process)) {
      if (!process.waitFor(JOB_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("Expected that it refuses to start\n" + service.log());
      }
      return process.exitValue();
    }
  }

  private Process begin() throws IOException {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Command.root().resolve("http-upload/run.sh").toString());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(Launch::configures);
    builder.environment().putAll(settings);
    return builder.start();
  }

  /// True for what would change the service's settings behind the test's back.
  private static boolean configures(String variable) {
    return variable.startsWith("POPULATOR_")
        || variable.startsWith("HTTP_UPLOAD_")
        || variable.startsWith("QUARKUS_")
        || variable.equals("JAVA_OPTS")
        || variable.equals("JAVA_TOOL_OPTIONS");
  }
}
