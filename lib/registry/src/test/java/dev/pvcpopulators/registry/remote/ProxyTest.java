package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
