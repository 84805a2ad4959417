package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.SourceReference;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyTest {
  @Test
  void sendsTheProxysPasswordOnlyToTheProxy(@TempDir Path directory) throws Exception {
    try (FaultyRegistry proxy =
        new FaultyRegistry((request, reply) -> {
          if (request.header("proxy-authorization").isEmpty()) {
            reply.send(407, "", "Proxy-Authenticate: Basic realm=\"proxy\"");
          } else {
            reply.send(200, "{\"schemaVersion\": 2}");
          }
        })) {
      ProcessBuilder pulling =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  PullingProgram.class.getName(),
                  "docker://registry.invalid/some/disk:v1")
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("output").toFile());
      pulling.environment().put("http_proxy", "http://user:pass@" + proxy.authority());
      assertEquals(0, pulling.start().waitFor(), () -> output(directory));
      assertEquals(List.of("", "Basic dXNlcjpwYXNz"), proxy.seen("proxy-authorization"));
      assertEquals(List.of("", ""), proxy.seen("authorization"));
    }
  }

  private static String output(Path directory) {
    try {
      return Files.readString(directory.resolve("output"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void goesThroughTheProxyOfTheSystemProperties(@TempDir Path directory) throws Exception {
    try (FaultyRegistry proxy =
        new FaultyRegistry((request, reply) -> reply.send(200, "{\"schemaVersion\": 2}"))) {
      String[] place = proxy.authority().split(":", -1);
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Dhttp.proxyHost=" + place[0],
                  "-Dhttp.proxyPort=" + place[1],
                  "-cp",
                  System.getProperty("java.class.path"),
                  PullingProgram.class.getName(),
                  "docker://registry.invalid/some/disk:v1")
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("output").toFile())
              .start();
      assertEquals(0, process.waitFor());
      assertEquals(
          List.of("http://registry.invalid/v2/some/disk/manifests/v1"),
          proxy.requests().stream().map(FaultyRegistry.Request::target).toList());
    }
  }

  /// The proxy does not answer CONNECT, or sends no byte of the TLS handshake after its answer.
  ///
  /// @param connected true if the proxy answers CONNECT
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(value = 1200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void givesUpOnASilentProxy(boolean connected) throws IOException {
    try (FaultyRegistry proxy =
        new FaultyRegistry((request, reply) -> {
          if (connected) {
            reply.head(200);
          }
          reply.stall();
        })) {
      ChosenOptions options =
          ChosenOptions.defaults()
              .withIdleTimeout(Duration.ofSeconds(1))
              .withRetries(0)
              .withCredentials(
                  new Credentials(
                      Optional.empty(),
                      Optional.empty(),
                      List.of(),
                      Map.of("https_proxy", proxy.authority())));
      SourceReference.Remote elsewhere =
          (SourceReference.Remote) SourceReference.parse("docker://registry.invalid/some/disk:v1");
      try (RegistryStore store = RegistryStore.open(elsewhere, options.options())) {
        SourceUnavailableException thrown =
            assertThrows(SourceUnavailableException.class, store::root);
        String message = String.valueOf(thrown.getMessage());
        assertTrue(message.contains("timed out"), message);
      }
    }
  }
}
