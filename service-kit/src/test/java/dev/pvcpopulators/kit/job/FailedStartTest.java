package dev.pvcpopulators.kit.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.kit.settings.NamedFiles;
import dev.pvcpopulators.kit.settings.StartCheck;
import io.quarkus.runtime.QuarkusBindException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FailedStartTest {
  private static final int ORDINAL = 300;

  private static StartCheck.Result settings(Map<String, String> properties) {
    return new StartCheck(List.of(), NamedFiles.elsewhere())
        .run(() ->
            new SmallRyeConfigBuilder()
                .addDefaultInterceptors()
                .addDiscoveredConverters()
                .withSources(new PropertiesConfigSource(properties, "test", ORDINAL)));
  }

  private static String reason(Throwable cause, Map<String, String> properties) {
    FailedStart failed =
        FailedStart.of(new RuntimeException(cause), settings(properties)).orElseThrow();
    assertEquals(75, failed.code());
    return failed.reason();
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket first = new ServerSocket(0, 1, loopback);
        ServerSocket second = new ServerSocket()) {
      InetSocketAddress address = new InetSocketAddress(loopback, first.getLocalPort());
      BindException taken = assertThrows(BindException.class, () -> second.bind(address));
      int port = first.getLocalPort();
      QuarkusBindException told = new QuarkusBindException("127.0.0.1", port, taken);
      assertEquals(
          "port " + port + " of 127.0.0.1 is taken; set QUARKUS_HTTP_PORT to another",
          reason(told, Map.of()));
      assertEquals(
          "port " + port + " of 127.0.0.1 is taken; set POPULATOR_TLS_PORT to another",
          reason(told, Map.of("quarkus.http.ssl-port", Integer.toString(port))));
      assertEquals("cannot listen: " + taken.getMessage(), reason(taken, Map.of()));
    }
  }

  @Test
  void anUnknownHostIsNamed() {
    assertEquals(
        "no address is known of nowhere; set QUARKUS_HTTP_HOST to another",
        reason(
            new UnknownHostException("nowhere: no such name"),
            Map.of("quarkus.http.host", "nowhere")));
  }

  @Test
  void aDefectIsNotExplained() {
    Map<String, String> other = Map.of("quarkus.http.host", "127.0.0.1");
    assertEquals(
        Optional.empty(), FailedStart.of(new UnknownHostException("registry"), settings(other)));
    assertEquals(
        Optional.empty(), FailedStart.of(new IllegalStateException("x"), settings(Map.of())));
  }
}
