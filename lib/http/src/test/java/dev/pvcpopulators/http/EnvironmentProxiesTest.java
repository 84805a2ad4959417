package dev.pvcpopulators.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentProxiesTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "HTTPS_PROXY", "http://secure.proxy:3128",
          "http_proxy", "plain.proxy",
          "NO_PROXY", "internal.example, .cluster.local,10.0.0.0/9,fd00::/8,192.0.2.7,x.org:5000");

  /// The expected results follow Go's `httpproxy` package.
  @ParameterizedTest
  @CsvSource({
    "https://registry.example, secure.proxy:3128",
    "http://registry.example, plain.proxy:80",
    "https://internal.example, ",
    "https://a.internal.example:5000, ",
    "https://notinternal.example, secure.proxy:3128",
    "https://registry.svc.CLUSTER.local, ",
    "https://10.127.255.255:5000, ",
    "https://10.128.0.0, secure.proxy:3128",
    "https://[fdff::1]:5000, ",
    "https://[fe80::1], secure.proxy:3128",
    "https://192.0.2.7, ",
    "https://192.0.2.70, secure.proxy:3128",
    "https://x.org:5000, ",
    "https://x.org, secure.proxy:3128",
    "https://localhost:5000, ",
    "http://127.0.0.1:5000, ",
    "http://[::1]:5000, "
  })
  void goesThroughTheProxyOfTheEnvironment(URI target, @Nullable String proxy) {
    assertEquals(Optional.ofNullable(proxy), selected(ENVIRONMENT, target));
  }

  @Test
  void honoursNoProxy() {
    URI target = URI.create("https://registry.example");
    assertEquals(Optional.empty(), selected(Map.of(), target));
    assertEquals(Optional.empty(), selected(Map.of("HTTPS_PROXY", " "), target));
    assertEquals(Optional.empty(), selected(Map.of("HTTPS_PROXY", "p:1", "no_proxy", "*"), target));
    assertEquals(Optional.of("p:1"), selected(Map.of("HTTPS_PROXY", "p:1"), target));
  }

  @ParameterizedTest
  @ValueSource(strings = {"socks5://p:1", "http://", "https://u:s3cret@p", "http://u:s3cret@ p"})
  void refusesInvalidProxiesWithoutQuotingThem(String value) {
    IllegalArgumentException refusal =
        assertThrows(
            IllegalArgumentException.class,
            () -> selected(Map.of("HTTPS_PROXY", value), URI.create("https://x")));
    String message = String.valueOf(refusal.getMessage());
    assertTrue(message.contains("HTTPS_PROXY") && !message.contains("s3cret"), message);
  }

  private static Optional<String> selected(Map<String, String> environment, URI target) {
    ProxySelector none = ProxySelector.of(null);
    List<Proxy> proxies = new EnvironmentProxies(environment, none).select(target);
    assertEquals(1, proxies.size());
    return proxies.getFirst().address() instanceof InetSocketAddress address
        ? Optional.of(address.getHostString() + ":" + address.getPort())
        : Optional.empty();
  }
}
