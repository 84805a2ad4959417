package dev.pvcpopulators.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A service that does not start says why, and exits with EX_CONFIG of sysexits.h.
final class RefusedStartTest {
  private static final int CONFIG = 78;

  @ParameterizedTest
  @CsvSource({
    "QUARKUS_HTTP_HOST, 0.0.0.0, POPULATOR_AUTH",
    "HTTP_UPLOAD_IDLE_TIMEOUT, soon, http-upload.idle-timeout"
  })
  void saysWhy(String variable, String value, String named, @TempDir Path volume)
      throws IOException, InterruptedException {
    Process process = Launch.on(volume).with(variable, value).begin();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(CONFIG, process.waitFor(), output);
    assertTrue(output.contains("Refusing to start: "), output);
    assertTrue(output.contains(named), output);
  }
}
