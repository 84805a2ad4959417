package dev.pvcpopulators.volume.job;

import dev.pvcpopulators.volume.settings.PopulatorSettings;
import io.quarkus.vertx.http.HttpServer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// Tells a person who has started a service in a terminal where to go.
@Singleton
class Welcome {
  private static final String CURL = "curl ";
  private static final String CURL_WITH_TOKEN = "curl -H 'Authorization: Bearer TOKEN' ";

  private final HttpServer server;
  private final String host;
  private final boolean token;

  @Inject
  Welcome(
      HttpServer server,
      PopulatorSettings settings,
      @ConfigProperty(name = "quarkus.http.host", defaultValue = "0.0.0.0") String host) {
    this.server = server;
    this.host = host;
    this.token = settings.token().isPresent() || settings.tokenFile().isPresent();
  }

  /// Lines for a person; none where nobody listens.
  ///
  /// @param service its name, and what [Service.Guide#request] says
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

  /// An address for somebody at this machine.
  private String reached() {
    return switch (host) {
      case "0.0.0.0", "::" -> "localhost";
      default -> host.contains(":") ? "[" + host + "]" : host;
    };
  }
}
