package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.PopulatorSettings;
import io.quarkus.vertx.http.HttpServer;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// Prints the address of a service that a person has started in a terminal.
@Singleton
class AddressNotice {
  private static final String CURL = "curl ";
  private static final String CURL_WITH_TOKEN = "curl -H 'Authorization: Bearer TOKEN' ";

  private final HttpServer server;
  private final String host;
  private final boolean token;

  AddressNotice(
      HttpServer server,
      PopulatorSettings settings,
      @ConfigProperty(name = "quarkus.http.host", defaultValue = "0.0.0.0") String host) {
    this.server = server;
    this.host = host;
    this.token = settings.token().isPresent() || settings.tokenFile().isPresent();
  }

  /// Prints the address and an example request; prints nothing if the service does not listen, or
  /// if an argument is missing.
  ///
  /// @param service the service's name, and the text of [Service.Guide#request]
  void say(String... service) {
    boolean plain = server.getPort() > 0;
    int port = plain ? server.getPort() : server.getSecurePort();
    if (service.length < 2 || port <= 0) {
      return;
    }
    String url = (plain ? "http://" : "https://") + reached() + ":" + port;
    String request = service[1].replace("{url}", url);
    System.out.println(service[0] + ": open " + url + "/ in a browser, or");
    System.out.println("  " + (token ? request.replace(CURL, CURL_WITH_TOKEN) : request));
    System.out.println("Ctrl-C ends it.");
  }

  /// Returns the host name or address at which a user of this host reaches the service.
  private String reached() {
    return switch (host) {
      case "0.0.0.0", "::" -> "localhost";
      default -> host.contains(":") ? "[" + host + "]" : host;
    };
  }
}
