package dev.pvcpopulators.volume.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pvcpopulators.volume.Certificates;
import dev.pvcpopulators.volume.Notation;
import dev.pvcpopulators.volume.security.Access.Decision;
import dev.pvcpopulators.volume.settings.PopulatorSettings;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessRulesTest {
  private static Access access(Map<String, String> properties) {
    SmallRyeConfig config =
        new SmallRyeConfigBuilder()
            .withSources(new PropertiesConfigSource(properties, "test", 100))
            .withConverter(Duration.class, 200, new DurationConverter())
            .withMapping(PopulatorSettings.class)
            .build();
    return new AccessRules(config.getConfigMapping(PopulatorSettings.class), config).access();
  }

  private static Decision decide(Access access, String token) {
    return access.decide(token).toCompletableFuture().join();
  }

  private static Map<String, String> onEveryAddress(String... more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("quarkus.http.host", "0.0.0.0");
    for (int i = 0; i < more.length; i += 2) {
      properties.put(more[i], more[i + 1]);
    }
    return properties;
  }

  private static void refuses(Map<String, String> properties) {
    assertThrows(ConfigurationException.class, () -> access(properties));
  }

  @Test
  void nobodyIsLetInByAccident() {
    refuses(Map.of());
    refuses(onEveryAddress());
    refuses(onEveryAddress("quarkus.http.host", "127.0.0.1.example.org"));
    refuses(onEveryAddress("populator.auth", "token"));
    refuses(onEveryAddress("populator.token-file", "/nonexistent/token"));
    refuses(onEveryAddress("populator.token", "a", "populator.token-file", "/b"));
    refuses(onEveryAddress("populator.auth", "tokenreview"));
    assertEquals(Decision.ALLOWED, decide(access(onEveryAddress("populator.auth", "none")), "x"));
  }

  @Test
  void loopbackNeedsNoToken() {
    for (String host : List.of("localhost", "127.0.0.1", "127.1.2.3", "::1")) {
      assertEquals(Decision.ALLOWED, decide(access(Map.of("quarkus.http.host", host)), ""));
    }
    assertEquals(
        Decision.UNAUTHENTICATED,
        decide(access(Map.of("quarkus.http.host", "localhost", "populator.token", "t")), ""));
  }

  @Test
  void tokenThatIsSetIsAskedFor() {
    Access access = access(onEveryAddress("populator.token", "t"));
    assertEquals(Decision.ALLOWED, decide(access, "t"));
    assertEquals(Decision.UNAUTHENTICATED, decide(access, "u"));
  }

  /// An API server of our own: `TOKEN:USER:AUDIENCE` tells what it answers.
  private record ApiServer(HttpsServer server, AtomicInteger asked) implements AutoCloseable {
    static ApiServer start(Path directory) throws Exception {
      Certificates.make(directory, "api");
      Path store = directory.resolve("api.p12");
      Certificates.run(
          List.of(
              "openssl",
              "pkcs12",
              "-export",
              "-passout",
              "pass:secret",
              "-in",
              directory + "/tls.crt",
              "-inkey",
              directory + "/tls.key",
              "-out",
              store.toString()));
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, "secret".toCharArray());
      }
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, "secret".toCharArray());
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(managers.getKeyManagers(), null, null);
      HttpsServer server =
          HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.setHttpsConfigurator(new HttpsConfigurator(tls));
      AtomicInteger asked = new AtomicInteger();
      server.createContext(
          "/apis/authentication.k8s.io/v1/tokenreviews",
          exchange -> {
            asked.incrementAndGet();
            answer(exchange);
          });
      server.start();
      Files.copy(directory.resolve("tls.crt"), directory.resolve("ca.crt"));
      Files.writeString(directory.resolve("token"), "own-token\n");
      return new ApiServer(server, asked);
    }

    private static void answer(HttpExchange exchange) throws IOException {
      try (exchange) {
        JsonNode review = Notation.JSON.read(exchange.getRequestBody().readAllBytes());
        String own = exchange.getRequestHeaders().getFirst("Authorization");
        String[] token = review.at("/spec/token").asText().split(":", -1);
        boolean sound =
            "Bearer own-token".equals(own)
                && review.path("kind").asText().equals("TokenReview")
                && review.path("apiVersion").asText().equals("authentication.k8s.io/v1");
        if (!sound || token[0].equals("broken")) {
          exchange.sendResponseHeaders(500, -1);
          return;
        }
        String answer =
            token[0].equals("good")
                ? "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"%s\"},\"audiences\":[\"%s\"]}}"
                    .formatted(token[1], token[2])
                : "{\"status\":{\"authenticated\":false}}";
        byte[] body = answer.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(201, body.length);
        exchange.getResponseBody().write(body);
      }
    }

    Map<String, String> settings(Path directory, String... more) {
      Map<String, String> settings = onEveryAddress(more);
      settings.put("populator.auth", "tokenreview");
      settings.put("populator.tokenreview.service-account", directory.toString());
      settings.put(
          "populator.tokenreview.api-server", "https://localhost:" + server.getAddress().getPort());
      return settings;
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  @Test
  void kubernetesDecides(@TempDir Path directory) throws Exception {
    try (ApiServer api = ApiServer.start(directory)) {
      Access access =
          access(
              api.settings(
                  directory,
                  "populator.tokenreview.audiences",
                  "volumes",
                  "populator.tokenreview.users",
                  "system:sa"));
      // The colons are the server's own notation, so the user has none here.
      assertEquals(Decision.FORBIDDEN, decide(access, "good:other:volumes"));
      assertEquals(Decision.UNAUTHENTICATED, decide(access, "good:other:else"));
      assertEquals(Decision.UNAUTHENTICATED, decide(access, "bad:x:volumes"));
      assertEquals(Decision.UNDECIDED, decide(access, "broken"));
      Access anybody =
          access(api.settings(directory, "populator.tokenreview.audiences", "volumes"));
      assertEquals(Decision.ALLOWED, decide(anybody, "good:other:volumes"));
      Access oneUser = access(api.settings(directory, "populator.tokenreview.users", "handler"));
      assertEquals(Decision.ALLOWED, decide(oneUser, "good:handler:x"));
      assertEquals(Decision.FORBIDDEN, decide(oneUser, "good:other:x"));
    }
  }

  @Test
  void answersAreKeptAndFailuresAreNot(@TempDir Path directory) throws Exception {
    try (ApiServer api = ApiServer.start(directory)) {
      Access access = access(api.settings(directory, "populator.tokenreview.users", "handler"));
      for (int i = 0; i < 3; i++) {
        assertEquals(Decision.ALLOWED, decide(access, "good:handler:x"));
        assertEquals(Decision.UNAUTHENTICATED, decide(access, "bad"));
      }
      assertEquals(2, api.asked().get());
      assertEquals(Decision.UNDECIDED, decide(access, "broken"));
      assertEquals(Decision.UNDECIDED, decide(access, "broken"));
      assertEquals(4, api.asked().get());
    }
  }

  @Test
  void apiServerThatAnotherAuthoritySignedIsNotBelieved(@TempDir Path directory) throws Exception {
    try (ApiServer api = ApiServer.start(directory)) {
      Path other = Files.createDirectory(directory.resolve("other"));
      Certificates.make(other, "other");
      Files.copy(other.resolve("tls.crt"), other.resolve("ca.crt"));
      Files.writeString(other.resolve("token"), "own-token\n");
      Access access = access(api.settings(other, "populator.tokenreview.users", "handler"));
      assertEquals(Decision.UNDECIDED, decide(access, "good:handler:x"));
      assertEquals(0, api.asked().get());
    }
  }
}
