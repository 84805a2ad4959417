package dev.pvcpopulators.it.contract;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.container.Container;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks the access control of services in containers: tokens, TokenReview, and HTTPS. `make test`
/// checks every fourth service. `make nightly` checks every service.
@Tag("tools")
@ParameterizedClass
@MethodSource("dev.pvcpopulators.it.contract.LifeContractTest#services")
final class AccessContractTest {
  private static final String TOKEN = "a-token-of-this-test";

  /// The header field that carries the token in requests through the API server's proxy. This proxy
  /// removes the field `Authorization`.
  private static final String OWN = "X-Populator-Token";

  private static final String SECRETS = "/run/secrets/populator";
  private static final List<String> METHODS = List.of("GET", "PUT", "DELETE", "PATCH", "POST");
  private static final List<String> CLOSED =
      List.of(
          "/volume", "/volume/status", "/upload", "/q/openapi", "/q/swagger-ui", "/page/", "/x");

  /// Other spellings of a protected path. Some spellings begin with a path that needs no token.
  private static final List<String> DISGUISED =
      List.of(
          "//volume",
          "/volume;x=1",
          "/%76olume",
          "/q/health/live/../../../volume",
          "/page/../volume");

  @Parameter private String name = "";

  @TempDir private Path work = Path.of("");

  private Container container() throws IOException {
    return Container.on(name, Files.createDirectories(work.resolve("volume")));
  }

  /// The service reads the token, the TLS certificate and the TLS key from a directory that is
  /// mounted like a Secret.
  @Test
  void onlyTheTokenGivesAccess() throws IOException, InterruptedException {
    Path secrets = Files.createDirectory(work.resolve("secrets"));
    PrivateAuthority authority = PrivateAuthority.in(work, "authority");
    PrivateAuthority.Issued issued = authority.issue("tls", "DNS:localhost");
    Files.copy(issued.certificate(), secrets.resolve("tls.crt"));
    Files.copy(issued.key(), secrets.resolve("tls.key"));
    Files.writeString(secrets.resolve("token"), TOKEN + "\n");
    // Sets the permissions that result from `defaultMode: 0440` and `fsGroup`.
    Command.run("chgrp", "-R", Integer.toString(Container.USER), secrets.toString());
    Command.run("chmod", "-R", "u=rwX,g=rX,o=", secrets.toString());
    int port = FreePort.any();
    Container container =
        container()
            .mount(secrets, SECRETS, false)
            .with("POPULATOR_TOKEN_FILE", SECRETS + "/token")
            .with("POPULATOR_TLS_CERTIFICATE", SECRETS + "/tls.crt")
            .with("POPULATOR_TLS_KEY", SECRETS + "/tls.key")
            .with("POPULATOR_TLS_PORT", Integer.toString(port));
    try (Service service = container.start()) {
      Http client = new Http(URI.create("https://localhost:" + port), authority.trusting());
      for (String path : CLOSED) {
        for (String method : METHODS) {
          assertUnauthenticated(client.ask(method, path));
        }
      }
      for (String path : DISGUISED) {
        assertUnauthenticated(client.ask("GET", path));
        assertUnauthenticated(client.ask("POST", path));
      }
      for (String wrong :
          List.of("Bearer " + TOKEN + "x", "Bearer ", "Basic " + TOKEN, TOKEN, "Bearer x")) {
        assertUnauthenticated(client.get("/volume", "Authorization", wrong));
      }
      for (String open :
          List.of(
              "/",
              "/page/style.css",
              "/q/health/live",
              "/q/health/ready",
              "/q/health/started",
              "/q/metrics")) {
        client.get(open).expect(200);
        assertUnauthenticated(client.ask("POST", open));
      }
      assertUnauthenticated(client.get("/volume", OWN, TOKEN + "x"));
      client.get("/volume", OWN, TOKEN, "Authorization", "Bearer x").expect(400).problem();
      client.get("/volume/status", OWN, TOKEN).expect(200);
      String[] right = {"Authorization", "Bearer " + TOKEN};
      assertNotEquals(401, client.get("/volume", right).status());
      client.delete("/volume", right).expect(204);
      client.get("/volume/status", right).expect(200);
      Files.writeString(secrets.resolve("token"), "another-token-of-this-test\n");
      assertUnauthenticated(client.get("/volume", right));
      client
          .get("/volume/status", "Authorization", "Bearer another-token-of-this-test")
          .expect(200);
      assertFalse(service.log().contains(TOKEN), "the token is in the log");
    }
  }

  @Test
  @Tag("nightly")
  void kubernetesMayDecide() throws IOException, InterruptedException {
    PrivateAuthority authority = PrivateAuthority.in(work, "authority");
    try (ReviewServer api = ReviewServer.start(work, authority)) {
      try (Service service = api.configure(container()).start()) {
        String[] right = {"Authorization", "Bearer " + ReviewServer.TOKEN};
        String[] others = {"Authorization", "Bearer " + ReviewServer.TOKEN_OF_ANOTHER};
        service.http().get("/volume/status").expect(401).problem("unauthenticated");
        service.http().get("/volume/status", "Authorization", "Bearer x").expect(401).problem();
        service.http().get("/volume/status", right).expect(200);
        service.http().get("/volume/status", OWN, ReviewServer.TOKEN).expect(200);
        service.http().delete("/volume", right).expect(204);
        service.http().get("/volume/status", others).expect(403).problem();
      }
    }
  }

  @Test
  void beyondTheLoopbackItRefusesToStartOpen() throws IOException, InterruptedException {
    Container open = container().with("QUARKUS_HTTP_HOST", "0.0.0.0");
    try (Service service = open.begin()) {
      assertNotEquals(0, service.awaitExit());
      assertTrue(service.log().contains("POPULATOR_TOKEN_FILE"), service::log);
    }
  }

  private static void assertUnauthenticated(Answer answer) {
    answer.expect(401).problem("unauthenticated");
    assertTrue(answer.header("www-authenticate").orElse("").startsWith("Bearer"), answer::toString);
  }
}
