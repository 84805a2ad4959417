package dev.pvcpopulators.it.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pvcpopulators.it.PrivateAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;

/// The authorization server of a registry. The server issues tokens (Docker, "Token Authentication
/// Specification" and its JWT profile), and signs the tokens with RS256. Each token has the
/// server's certificate in `x5c`.
public final class TokenServer implements AutoCloseable {
  public static final String SERVICE = "disks.test";
  public static final String ISSUER = "tokens.test";

  /// A request of a client.
  ///
  /// @param query the decoded query
  /// @param credentials `USER:PASSWORD`; empty if the request has no credentials
  public record Asked(String query, String credentials) {}

  private static final Base64.Encoder URL = Base64.getUrlEncoder().withoutPadding();

  private final HttpServer server;
  private final Path certificate;
  private final PrivateKey key;
  private final String chain;
  private final String credentials;
  private final int lifetimeSeconds;
  private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();

  private TokenServer(
      HttpServer server, PrivateAuthority.Issued own, String credentials, int lifetimeSeconds)
      throws IOException {
    this.server = server;
    this.certificate = own.certificate();
    this.key = key(Files.readString(own.key()));
    this.chain = pem(Files.readString(own.certificate()));
    this.credentials = credentials;
    this.lifetimeSeconds = lifetimeSeconds;
  }

  /// Starts a server.
  ///
  /// @param credentials the required credentials `USER:PASSWORD`; if empty, the server refuses
  ///   every request with credentials
  /// @param lifetimeSeconds the lifetime of each token
  public static TokenServer start(Path parent, String credentials, int lifetimeSeconds)
      throws IOException {
    PrivateAuthority.Issued own =
        PrivateAuthority.in(parent, "token-authority").issue("tokens", "DNS:localhost");
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    TokenServer server = new TokenServer(http, own, credentials, lifetimeSeconds);
    http.createContext("/token", server::answer);
    http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    http.start();
    return server;
  }

  public String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  public URI realm() {
    return URI.create("http://" + address() + "/token");
  }

  /// Returns the path of the certificate that the registry must trust.
  public Path certificate() {
    return certificate;
  }

  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String raw = exchange.getRequestURI().getRawQuery();
      String query = raw == null ? "" : URLDecoder.decode(raw, UTF_8);
      String given = credentials(exchange.getRequestHeaders().getFirst("Authorization"));
      asked.add(new Asked(query, given));
      if (!given.equals(credentials)) {
        exchange.sendResponseHeaders(401, -1);
        return;
      }
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.put("token", token(scope(query))).put("expires_in", lifetimeSeconds);
      byte[] bytes = body.toString().getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static String credentials(String field) {
    return field != null && field.startsWith("Basic ")
        ? new String(Base64.getDecoder().decode(field.substring("Basic ".length())), UTF_8)
        : "";
  }

  /// Returns NAME from a query's parameter `scope=repository:NAME:pull`; empty if the query has no
  /// such parameter.
  private static String scope(String query) {
    for (String parameter : query.split("&", -1)) {
      if (parameter.startsWith("scope=repository:")) {
        String[] parts = parameter.split(":", 3);
        return parts.length == 3 ? parts[1] : "";
      }
    }
    return "";
  }

  private String token(String repository) throws GeneralSecurityException {
    ObjectNode header = JsonNodeFactory.instance.objectNode().put("typ", "JWT").put("alg", "RS256");
    header.putArray("x5c").add(chain);
    long now = Instant.now().getEpochSecond();
    ObjectNode claims = JsonNodeFactory.instance.objectNode();
    claims.put("iss", ISSUER).put("aud", SERVICE).put("sub", "it");
    claims.put("exp", now + lifetimeSeconds).put("nbf", now - 1).put("iat", now);
    claims.put("jti", UUID.randomUUID().toString());
    ObjectNode access = claims.putArray("access").addObject();
    access.put("type", "repository").put("name", repository).putArray("actions").add("pull");
    String signed = base64(header) + "." + base64(claims);
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(key);
    signature.update(signed.getBytes(UTF_8));
    return signed + "." + URL.encodeToString(signature.sign());
  }

  private static String base64(ObjectNode node) {
    return URL.encodeToString(node.toString().getBytes(UTF_8));
  }

  /// Returns the content of the first block of a PEM file, as one line of base64.
  private static String pem(String text) {
    return text.substring(text.indexOf('\n') + 1, text.indexOf("-----END")).replace("\n", "");
  }

  private static PrivateKey key(String text) throws IOException {
    try {
      return KeyFactory.getInstance("RSA")
          .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem(text))));
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
