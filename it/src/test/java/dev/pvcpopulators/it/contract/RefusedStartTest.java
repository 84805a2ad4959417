package dev.pvcpopulators.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Services;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks that a service reports all invalid settings, and exits with EX_CONFIG (sysexits.h).
@Tag("tools")
final class RefusedStartTest {
  private static final int CONFIG = 78;
  private static final String CANARY = "canary-8275";

  private @TempDir Path work;

  private static String refused(Launch launch) throws IOException, InterruptedException {
    Process process = launch.begin();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(CONFIG, process.waitFor(), output);
    return output;
  }

  @ParameterizedTest
  @CsvSource({
    "QUARKUS_HTTP_HOST, 0.0.0.0, 'POPULATOR_AUTH: not set; '",
    "HTTP_UPLOAD_IDLE_TIMEOUT, soon, 'HTTP_UPLOAD_IDLE_TIMEOUT=soon: expected a duration'"
  })
  void reportsTheReason(String variable, String value, String said)
      throws IOException, InterruptedException {
    String output = refused(Launch.on(work).with(variable, value));
    assertTrue(
        output.startsWith("http-upload refuses to start: 1 setting is wrong\n  " + said), output);
    assertEquals(2, output.lines().count(), output);
  }

  static Stream<String> services() {
    return Rounds.oneOf(2, Services.names());
  }

  /// Runs services as Jobs: in `make test`, every second service. The termination message must have
  /// the same text as the output.
  @ParameterizedTest
  @MethodSource("services")
  void reportsAllMistakesAtOnce(String service) throws IOException, InterruptedException {
    String own = Launch.prefix(service).replaceFirst("_$", "");
    Path message = work.resolve("termination-log");
    String output =
        refused(
            Launch.of(service, work.resolve("missing"))
                .with("POPULATOR_TERMINATION_LOG", message.toString())
                .with("POPULATOR_OVERWRITE", "yes")
                .with("POPULATOR_TOKEN", CANARY)
                .with("POPULATOR_TOKEN_FILE", CANARY)
                .with("POPULATOR_TOKNE", CANARY)
                .with("POPULATOR_PROGRESS_INTERVAL", "\u001b[2J")
                .with(own + "_PASWORD", CANARY)
                .with(own + "_SERVICE_HOST", "10.96.0.7")
                .once());
    for (String said :
        List.of(
            "POPULATOR_OVERWRITE=yes: expected true or false, such as true\n",
            "POPULATOR_PROGRESS_INTERVAL=\\u001b[2J: expected a duration",
            "POPULATOR_TARGET=" + work.toString().substring(0, 1),
            "POPULATOR_TOKEN (not shown): ",
            "POPULATOR_TOKEN_FILE (not shown): no such file; ",
            own + "_PASWORD: no such setting",
            "POPULATOR_TOKNE: no such setting; did you mean POPULATOR_TOKEN?")) {
      assertTrue(output.contains("\n  " + said), said + " in " + output);
    }
    assertEquals(
        Launch.takesImages(service),
        output.contains("\n  " + own + "_IMAGE: not set; expected "),
        output);
    assertFalse(output.contains(CANARY), output);
    assertFalse(output.contains("_SERVICE_HOST"), output);
    assertEquals(output.strip(), Files.readString(message).strip());
  }

  /// If service links are enabled, Kubernetes sets variables such as `REGISTRY_STREAM_ISCSI_PORT`
  /// for a Service with the name `registry-stream-iscsi`. The populator service must ignore these
  /// variables.
  @Test
  void linksToServicesAreNoSettings() throws IOException, InterruptedException {
    try (Service service =
        Launch.of("registry-stream-iscsi", work)
            .with("REGISTRY_STREAM_ISCSI_SERVICE_HOST", "10.96.0.7")
            .with("REGISTRY_STREAM_ISCSI_SERVICE_PORT_ISCSI", "3260")
            .with("REGISTRY_STREAM_ISCSI_PORT", "tcp://10.96.0.7:3260")
            .with("REGISTRY_STREAM_ISCSI_PORT_3260_TCP_ADDR", "10.96.0.7")
            .start()) {
      service.http().get("/q/health/started").expect(200);
    }
  }
}
