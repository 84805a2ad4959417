package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/// Who may use a service, each in a container: tokens, Kubernetes' judgement, and HTTPS.
@ParameterizedClass
@EnumSource
final class AccessContractTest {
  private static final String TOKEN = "a-token-of-this-test";
  private static final String SECRETS = "/run/secrets/populator";
  private static final List<String> METHODS = List.of("GET", "PUT", "DELETE", "PATCH", "POST");
  private static final List<String> CLOSED =
      List.of("/volume", "/volume/status", "/upload", "/q/openapi", "/q/swagger-ui", "/", "/x");

  /// Other ways of writing a path that is open, or one that is not.
  private static final List<String> DISGUISED =
      List.of("//volume", "/volume;x=1", "/%76olume", "/q/health/live/../../../volume");

  @Parameter private ContractSubject.Kind kind = ContractSubject.Kind.HTTP_UPLOAD;

  @TempDir private Path work = Path.of("");

  private Container container() throws IOException {
    return Container.on(kind.service(), Files.createDirectories(work.resolve("volume")));
  }

  /// A token of a mounted Secret, and HTTPS.
  @Test
  void onlyWhoHasTheTokenIsLetIn() throws IOException, InterruptedException {
    Path secrets = Files.createDirectory(work.resolve("secrets"));
    PrivateAuthority authority = PrivateAuthority.in(work, "authority");
    PrivateAuthority.Issued issued = authority.issue("tls", "DNS:localhost");
    Files.copy(issued.certificate(), secrets.resolve("tls.crt"));
    Files.copy(issued.key(), secrets.resolve("tls.key"));
    Files.writeString(secrets.resolve("token"), TOKEN + "\n");
    // As `defaultMode: 0440` and `fsGroup` have it.
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
      Client client = new Client("https://localhost:" + port, authority.certificate());
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
        assertUnauthenticated(client.ask("GET", "/volume", "Authorization: " + wrong));
      }
      for (String open :
          List.of("/q/health/live", "/q/health/ready", "/q/health/started", "/q/metrics")) {
        assertEquals(200, client.ask("GET", open).status(), open);
        assertUnauthenticated(client.ask("POST", open));
      }
      String authorization = "Authorization: Bearer " + TOKEN;
      assertNotEquals(401, client.ask("GET", "/volume", authorization).status());
      client.ask("DELETE", "/volume", authorization).expect(204);
      client.ask("GET", "/volume/status", authorization).expect(200);
      Files.writeString(secrets.resolve("token"), "another\n");
      assertUnauthenticated(client.ask("GET", "/volume", authorization));
      client.ask("GET", "/volume/status", "Authorization: Bearer another").expect(200);
      assertFalse(service.log().contains(TOKEN), "the token is in the log");
    }
  }

  @Test
  void kubernetesMayDecide() throws IOException, InterruptedException {
    PrivateAuthority authority = PrivateAuthority.in(work, "authority");
    try (ReviewServer api = ReviewServer.start(work, authority)) {
      try (Service service = api.configure(container()).start()) {
        String[] right = {"Authorization", "Bearer " + ReviewServer.TOKEN};
        String[] others = {"Authorization", "Bearer " + ReviewServer.TOKEN_OF_ANOTHER};
        service.http().get("/volume/status").expect(401).problem("unauthenticated");
        service.http().get("/volume/status", "Authorization", "Bearer x").expect(401).problem();
        service.http().get("/volume/status", right).expect(200);
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

  /// curl, which takes paths as they are written.
  private record Client(String base, Path authority) {
    Answer ask(String method, String path, String... fields)
        throws IOException, InterruptedException {
      List<String> options =
          new ArrayList<>(List.of("--path-as-is", "--cacert", authority.toString(), "-X", method));
      for (String field : fields) {
        options.add("-H");
        options.add(field);
      }
      return Curl.ask(base + path, options);
    }
  }
}
