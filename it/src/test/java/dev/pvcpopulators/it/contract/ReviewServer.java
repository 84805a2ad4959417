package dev.pvcpopulators.it.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.PrivateAuthority;
import dev.pvcpopulators.it.container.Container;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// A fake API server that answers TokenReviews (authentication.k8s.io/v1). The server accepts two
/// tokens of different users for one audience. The populator service permits only one of these
/// users.
///
/// @param account the directory of a pod's ServiceAccount, with `token` and `ca.crt`
record ReviewServer(HttpsServer server, Path account) implements AutoCloseable {
  private static final String USER = "system:serviceaccount:disks:controller";
  private static final String ANOTHER = "system:serviceaccount:disks:another";
  private static final String AUDIENCE = "volumes";

  static final String TOKEN = token(USER);
  static final String TOKEN_OF_ANOTHER = token(ANOTHER);

  private static final Map<String, String> USERS = Map.of(TOKEN, USER, TOKEN_OF_ANOTHER, ANOTHER);
  private static final String PATH = "/apis/authentication.k8s.io/v1/tokenreviews";
  private static final String OWN = "the-token-of-the-pod";
  private static final String PASSWORD = "secret";

  /// Returns a JSON Web Token for the audience, with an invalid signature.
  private static String token(String user) {
    ObjectNode claims = JsonNodeFactory.instance.objectNode().put("sub", user);
    claims.put("exp", Instant.parse("2100-01-01T00:00:00Z").getEpochSecond());
    claims.putArray("aud").add(AUDIENCE);
    return encoded("{\"alg\":\"RS256\"}") + "." + encoded(claims.toString()) + "." + encoded("x");
  }

  private static String encoded(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Starts the server.
  ///
  /// @param authority the authority that issues the server's certificate
  static ReviewServer start(Path directory, PrivateAuthority authority) throws IOException {
    Path account = Files.createDirectory(directory.resolve("account"));
    Files.writeString(account.resolve("token"), OWN + "\n");
    Files.copy(authority.certificate(), account.resolve("ca.crt"));
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls(directory, authority)));
    server.createContext(PATH, ReviewServer::answer);
    // By default, one thread reads all requests. Therefore an incomplete request blocks the other
    // requests.
    server.setExecutor(Thread::startVirtualThread);
    server.start();
    return new ReviewServer(server, account);
  }

  private static SSLContext tls(Path directory, PrivateAuthority authority) throws IOException {
    PrivateAuthority.Issued issued = authority.issue("api-server", "IP:127.0.0.1");
    Path store = directory.resolve("api-server.p12");
    Command.run(
        "openssl",
        "pkcs12",
        "-export",
        "-passout",
        "pass:" + PASSWORD,
        "-in",
        issued.certificate().toString(),
        "-inkey",
        issued.key().toString(),
        "-out",
        store.toString());
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, PASSWORD.toCharArray());
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(managers.getKeyManagers(), null, null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode review =
          Json.text(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      if (!("Bearer " + OWN).equals(exchange.getRequestHeaders().getFirst("Authorization"))
          || !review.path("kind").asText().equals("TokenReview")
          || !review.path("apiVersion").asText().equals("authentication.k8s.io/v1")) {
        exchange.sendResponseHeaders(403, -1);
        return;
      }
      ObjectNode answer = JsonNodeFactory.instance.objectNode();
      answer.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
      String user = USERS.get(review.at("/spec/token").asText());
      ObjectNode status = answer.putObject("status").put("authenticated", user != null);
      if (user != null) {
        status.putObject("user").put("username", user);
        status.putArray("audiences").add(AUDIENCE);
      }
      byte[] body = answer.toString().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(201, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /// Configures a container to use this server.
  Container configure(Container container) {
    String mounted = "/var/run/secrets/kubernetes.io/serviceaccount";
    return container
        .mount(account, mounted, false)
        .with("POPULATOR_AUTH", "tokenreview")
        .with("POPULATOR_TOKENREVIEW_AUDIENCES", AUDIENCE)
        .with("POPULATOR_TOKENREVIEW_USERS", USER)
        .with("KUBERNETES_SERVICE_HOST", "127.0.0.1")
        .with("KUBERNETES_SERVICE_PORT", Integer.toString(server.getAddress().getPort()));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
