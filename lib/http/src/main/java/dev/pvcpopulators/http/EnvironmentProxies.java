package dev.pvcpopulators.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.http.auth.AuthScope;
import org.apache.http.auth.UsernamePasswordCredentials;
import org.apache.http.client.CredentialsProvider;

/// Selects the proxy for a URL according to the variables `HTTPS_PROXY`, `HTTP_PROXY` and
/// `NO_PROXY`. A variable whose name is in lower case has precedence over the variable with the
/// same name in upper case. A proxy in the JVM's own properties has precedence over all these
/// variables. `NO_PROXY` is interpreted by the rules of programs written in Go.
///
/// `NO_PROXY` contains entries that are separated by commas. An entry is a host, an address, or a
/// network such as `10.0.0.0/8`. A host also stands for its subdomains; a host after a leading `.`
/// or `*.` stands for its subdomains only. If a host or an address has a port, the entry applies to
/// that port only. `*` means every host. Connections to `localhost` or a loopback address use no
/// proxy from these variables.
final class EnvironmentProxies extends ProxySelector {
  private static final int DEFAULT_PORT = 80;

  private final Map<String, String> environment;
  private final ProxySelector properties;
  private final Optional<URI> forHttps;
  private final Optional<URI> forHttp;
  private final List<String> direct;

  /// Reads the environment.
  ///
  /// @param properties the selector that uses the JVM's properties; a proxy that it selects has
  ///   precedence over the variables
  /// @throws IllegalArgumentException if `HTTPS_PROXY` or `HTTP_PROXY` is set and is not an `http`
  ///   URL with a host; the value may omit `http://`
  EnvironmentProxies(Map<String, String> environment, ProxySelector properties) {
    this.environment = environment;
    this.properties = properties;
    forHttps = proxy("HTTPS_PROXY");
    forHttp = proxy("HTTP_PROXY");
    direct =
        Arrays.stream(variable("NO_PROXY").orElse("").split(",", -1))
            .map(name -> name.strip().toLowerCase(Locale.ROOT))
            .filter(name -> !name.isEmpty())
            .toList();
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name.toLowerCase(Locale.ROOT)))
        .or(() -> Optional.ofNullable(environment.get(name)))
        .filter(value -> !value.isBlank());
  }

  private Optional<URI> proxy(String name) {
    return variable(name)
        .map(value -> {
          String text = value.strip();
          try {
            URI proxy = new URI(text.contains("://") ? text : "http://" + text);
            if (proxy.getHost() != null && "http".equalsIgnoreCase(proxy.getScheme())) {
              return proxy;
            }
          } catch (URISyntaxException _) {
            // The message below does not contain the value, because the value may contain a
            // password.
          }
          throw new IllegalArgumentException(
              "Expected http://HOST[:PORT] of a proxy in the variable " + name);
        });
  }

  @Override
  public List<Proxy> select(URI target) {
    List<Proxy> first = properties.select(target);
    if (first.stream().anyMatch(it -> it.type() != Proxy.Type.DIRECT)) {
      return first;
    }
    Optional<URI> proxy = "https".equalsIgnoreCase(target.getScheme()) ? forHttps : forHttp;
    return List.of(
        proxy
            .filter(_ -> !direct(target))
            .map(it ->
                new Proxy(
                    Proxy.Type.HTTP, InetSocketAddress.createUnresolved(it.getHost(), port(it))))
            .orElse(Proxy.NO_PROXY));
  }

  @Override
  public void connectFailed(URI target, SocketAddress proxy, IOException failure) {
    properties.connectFailed(target, proxy, failure);
  }

  /// Adds the user name and the password of each proxy whose URL contains both. Each pair is valid
  /// only for its own proxy.
  void addCredentials(CredentialsProvider provider) {
    for (Optional<URI> proxy : List.of(forHttps, forHttp)) {
      String[] user = proxy.map(URI::getUserInfo).map(it -> it.split(":", 2)).orElse(new String[0]);
      if (user.length == 2) {
        URI place = proxy.orElseThrow();
        provider.setCredentials(
            new AuthScope(place.getHost(), port(place)),
            new UsernamePasswordCredentials(user[0], user[1]));
      }
    }
  }

  private static int port(URI proxy) {
    return proxy.getPort() < 0 ? DEFAULT_PORT : proxy.getPort();
  }

  private boolean direct(URI target) {
    String host = withoutBrackets(target.getHost().toLowerCase(Locale.ROOT));
    Optional<InetAddress> address = literal(host);
    if (host.equals("localhost") || address.filter(InetAddress::isLoopbackAddress).isPresent()) {
      return true;
    }
    int port = RedirectPolicy.port(target);
    return direct.stream().anyMatch(name -> direct(name, host, port, address));
  }

  private static boolean direct(String name, String host, int port, Optional<InetAddress> address) {
    int slash = name.indexOf('/');
    if (name.equals("*")) {
      return true;
    }
    if (slash >= 0) {
      return address.isPresent() && inNetwork(name, slash, address.get());
    }
    String suffix = ":" + port;
    String place =
        name.endsWith(suffix) && !literal(name).isPresent()
            ? name.substring(0, name.length() - suffix.length())
            : name;
    String bare = withoutBrackets(place.startsWith("*.") ? place.substring(1) : place);
    String domain = bare.startsWith(".") ? bare : "." + bare;
    boolean below = address.isEmpty() && host.endsWith(domain);
    return below || host.equals(bare) || (address.isPresent() && address.equals(literal(bare)));
  }

  private static boolean inNetwork(String name, int slash, InetAddress address) {
    Optional<InetAddress> network = literal(name.substring(0, slash));
    String length = name.substring(slash + 1);
    if (network.isEmpty() || !length.matches("[0-9]{1,3}")) {
      return false;
    }
    byte[] one = network.get().getAddress();
    byte[] other = address.getAddress();
    int bits = Integer.parseInt(length);
    if (one.length != other.length || bits > one.length * 8) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      if (((one[bit / 8] ^ other[bit / 8]) & 0x80 >> bit % 8) != 0) {
        return false;
      }
    }
    return true;
  }

  private static String withoutBrackets(String host) {
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  /// Parses a literal address without a DNS lookup; returns empty for a host name.
  static Optional<InetAddress> literal(String host) {
    try {
      return Optional.of(InetAddress.ofLiteral(host));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
