package dev.pvcpopulators.kit.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pvcpopulators.kit.lifecycle.Certificates;
import dev.pvcpopulators.kit.security.Access.Decision;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.volume.Notation;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessRulesTest {
  private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");

  @TempDir private static Path directory;
  private static KeyStore keys;

  @BeforeAll
  static void makeKeys() throws IOException {
    keys = makeAccount(directory, "api");
  }

  /// Makes the directory of a service account, with the certificate of an API server.
  private static KeyStore makeAccount(Path directory, String server) throws IOException {
    KeyStore made = Certificates.make(directory, server);
    Files.copy(directory.resolve("tls.crt"), directory.resolve("ca.crt"));
    Files.writeString(directory.resolve("token"), "own-token\n");
    return made;
  }

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
    return access.decide(token, "192.0.2.1").toCompletableFuture().join();
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
  void refusesOpenAccessByMistake() {
    refuses(Map.of());
    refuses(onEveryAddress());
    refuses(onEveryAddress("quarkus.http.host", "127.0.0.1.example.org"));
    refuses(onEveryAddress("populator.auth", "token"));
    refuses(onEveryAddress("populator.token-file", "/nonexistent/token"));
    refuses(onEveryAddress("populator.token", "a", "populator.token-file", "/b"));
    refuses(onEveryAddress("populator.auth", "tokenreview"));
    refuses(onEveryAddress("populator.auth", "tokenreview", "populator.namespace", "vms"));
    refuses(onEveryAddress("populator.auth", "tokenreview", "populator.claim-name", "disk"));
    refuses(
        onEveryAddress("populator.auth", "tokenreview", "populator.tokenreview.audiences", "a"));
    refuses(onEveryAddress("populator.auth", "tokenreview", "populator.tokenreview.users", "u"));
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
    Access access = access(onEveryAddress("populator.token", "a-token-of-this-test"));
    assertEquals(Decision.ALLOWED, decide(access, "a-token-of-this-test"));
    assertEquals(Decision.UNAUTHENTICATED, decide(access, "a-token-of-this-tesu"));
  }

  @Test
  void tokenBeyondLoopbackHasSixteenBytes() {
    refuses(onEveryAddress("populator.token", "123456789012345"));
    assertEquals(
        Decision.ALLOWED,
        decide(access(onEveryAddress("populator.token", "1234567890123456")), "1234567890123456"));
    assertEquals(
        Decision.ALLOWED,
        decide(access(Map.of("quarkus.http.host", "::1", "populator.token", "t")), "t"));
  }

  /// Returns a JSON Web Token with an invalid signature. The fake API server reads only `sub`.
  private static String token(String subject, String audience, Instant expiry) {
    Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
    String claims =
        "{\"aud\":[\"%s\"],\"exp\":%d,\"sub\":\"%s\"}"
            .formatted(audience, expiry.getEpochSecond(), subject);
    return encoder.encodeToString("{\"alg\":\"RS256\"}".getBytes(StandardCharsets.UTF_8))
        + "."
        + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8))
        + ".c2lnbmF0dXJl";
  }

  private static String token(String subject) {
    return token(subject, subject.substring(subject.lastIndexOf(':') + 1), LATER);
  }

  /// A fake API server. The subject `TOKEN:USER:AUDIENCE` determines its answer. In the name of the
  /// user, `+` stands for a colon.
  ///
  /// @param held has no permit while the server delays its answers
  private record ApiServer(HttpsServer server, AtomicInteger asked, Semaphore held)
      implements AutoCloseable {
    static ApiServer start() throws Exception {
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, Certificates.PASSWORD.toCharArray());
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(managers.getKeyManagers(), null, null);
      HttpsServer server =
          HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.setHttpsConfigurator(new HttpsConfigurator(tls));
      server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      AtomicInteger asked = new AtomicInteger();
      Semaphore held = new Semaphore(1);
      server.createContext(
          "/apis/authentication.k8s.io/v1/tokenreviews",
          exchange -> {
            asked.incrementAndGet();
            held.acquireUninterruptibly();
            held.release();
            answer(exchange);
          });
      server.start();
      return new ApiServer(server, asked, held);
    }

    private static void answer(HttpExchange exchange) throws IOException {
      try (exchange) {
        JsonNode review = Notation.JSON.read(exchange.getRequestBody().readAllBytes());
        String own = exchange.getRequestHeaders().getFirst("Authorization");
        String claims = review.at("/spec/token").asText().split("\\.", -1)[1];
        String[] token =
            Notation.JSON
                .read(Base64.getUrlDecoder().decode(claims))
                .path("sub")
                .asText()
                .split(":", -1);
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
                    .formatted(token[1].replace('+', ':'), token[2])
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
  void kubernetesDecides() throws Exception {
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  directory,
                  "populator.tokenreview.audiences",
                  "volumes",
                  "populator.tokenreview.users",
                  "handler"));
      assertEquals(Decision.ALLOWED, decide(access, token("good:handler:volumes")));
      assertEquals(Decision.FORBIDDEN, decide(access, token("good:other:volumes")));
      assertEquals(Decision.UNAUTHENTICATED, decide(access, token("good:other:else")));
      assertEquals(Decision.UNAUTHENTICATED, decide(access, token("bad:x:volumes")));
      assertEquals(Decision.UNDECIDED, decide(access, token("broken:x:volumes")));
    }
  }

  @Test
  void tokenForAnotherClaimIsRefused() throws Exception {
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  directory, "populator.namespace", "vms", "populator.claim-name", "disk"));
      String user = "good:system+serviceaccount+vms+uploader:";
      assertEquals(Decision.ALLOWED, decide(access, token(user + "pvc-populators/vms/disk")));
      for (String other :
          List.of(
              "pvc-populators/vms/disk-2",
              "pvc-populators/other/disk",
              "pvc-populators/vms",
              "pvc-populators")) {
        assertEquals(Decision.UNAUTHENTICATED, decide(access, token(user + other)), other);
      }
      assertEquals(1, api.asked().get());
    }
  }

  @Test
  void accountsOfOtherNamespacesAreRefusedByDefault() throws Exception {
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  directory, "populator.namespace", "vms", "populator.claim-name", "disk"));
      for (String other :
          List.of(
              "system+serviceaccount+vms-2+uploader",
              "system+serviceaccount+other+vms",
              "system+serviceaccount+vms+",
              "admin",
              "")) {
        String token = token("good:" + other + ":pvc-populators/vms/disk");
        assertEquals(Decision.FORBIDDEN, decide(access, token), other);
      }
      Access configured =
          access(
              api.settings(
                  directory,
                  "populator.namespace",
                  "vms",
                  "populator.claim-name",
                  "disk",
                  "populator.tokenreview.users",
                  "admin,system:serviceaccount:other:*"));
      assertEquals(
          List.of(Decision.ALLOWED, Decision.ALLOWED, Decision.FORBIDDEN),
          Stream.of("admin", "system+serviceaccount+other+x", "system+serviceaccount+vms+uploader")
              .map(user -> decide(configured, token("good:" + user + ":pvc-populators/vms/disk")))
              .toList());
    }
  }

  @Test
  void answersAreKeptAndFailuresAreNot() throws Exception {
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  directory,
                  "populator.tokenreview.audiences",
                  "x",
                  "populator.tokenreview.users",
                  "handler"));
      for (int i = 0; i < 3; i++) {
        assertEquals(Decision.ALLOWED, decide(access, token("good:handler:x")));
        assertEquals(Decision.UNAUTHENTICATED, decide(access, token("bad:x:x")));
      }
      assertEquals(2, api.asked().get());
      assertEquals(Decision.UNDECIDED, decide(access, token("broken:x:x")));
      assertEquals(Decision.UNDECIDED, decide(access, token("broken:x:x")));
      assertEquals(4, api.asked().get());
    }
  }

  @Test
  @Tag("tools")
  void apiServerThatAnotherAuthoritySignedIsNotBelieved(@TempDir Path other) throws Exception {
    makeAccount(other, "other");
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  other,
                  "populator.tokenreview.audiences",
                  "x",
                  "populator.tokenreview.users",
                  "handler"));
      assertEquals(Decision.UNDECIDED, decide(access, token("good:handler:x")));
      assertEquals(0, api.asked().get());
    }
  }

  @Test
  void onlyTokensThatCanBeValidAreAskedAbout() throws Exception {
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  directory,
                  "populator.tokenreview.audiences",
                  "volumes",
                  "populator.tokenreview.users",
                  "x"));
      Instant past = Instant.now().minus(Duration.ofHours(1));
      for (String wrong :
          List.of(
              "",
              "random",
              "a.b.c",
              token("good:x:volumes", "others", LATER),
              token("good:x:volumes").replace(".c2lnbmF0dXJl", "."),
              token("good:x:volumes") + ".x")) {
        assertEquals(Decision.UNAUTHENTICATED, decide(access, wrong), wrong);
      }
      assertEquals(Decision.EXPIRED, decide(access, token("good:x:volumes", "volumes", past)));
      assertEquals(0, api.asked().get());
      assertEquals(Decision.ALLOWED, decide(access, token("good:x:volumes")));
      assertEquals(1, api.asked().get());
    }
  }

  @Test
  void floodOfWrongTokensEvictsNoGoodOne() throws Exception {
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  directory,
                  "populator.tokenreview.audiences",
                  "volumes",
                  "populator.tokenreview.users",
                  "x",
                  "populator.tokenreview.cache",
                  "60s"));
      assertEquals(Decision.ALLOWED, decide(access, token("good:x:volumes")));
      for (int i = 0; i < 1_100; i++) {
        assertEquals(Decision.UNAUTHENTICATED, decide(access, token("bad" + i + ":x:volumes")));
      }
      int before = api.asked().get();
      assertEquals(Decision.ALLOWED, decide(access, token("good:x:volumes")));
      assertEquals(before, api.asked().get());
    }
  }

  @Test
  void oneAddressDoesNotUseUpTheQuestions() throws Exception {
    try (ApiServer api = ApiServer.start()) {
      Access access =
          access(
              api.settings(
                  directory,
                  "populator.tokenreview.audiences",
                  "volumes",
                  "populator.tokenreview.users",
                  "x"));
      api.held().acquire();
      List<CompletableFuture<Decision>> flood = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        flood.add(
            access.decide(token("bad" + i + ":x:volumes"), "192.0.2.66").toCompletableFuture());
      }
      CompletableFuture<Decision> other =
          access.decide(token("good:x:volumes"), "192.0.2.7").toCompletableFuture();
      api.held().release();
      assertEquals(Decision.ALLOWED, other.join());
      assertEquals(
          ReviewedToken.MAX_ASKED_OF_ONE_ADDRESS,
          flood.stream().filter(it -> it.join() == Decision.UNAUTHENTICATED).count());
      assertEquals(ReviewedToken.MAX_ASKED_OF_ONE_ADDRESS + 1, api.asked().get());
    }
  }

  @Test
  void oneHostHasOneIpv6Prefix() {
    assertEquals(
        ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:2::1")),
        ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:2:ffff::9")));
    assertNotEquals(
        ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:2::1")),
        ClientAddress.of(InetAddress.ofLiteral("2001:db8:1:3::1")));
    assertEquals("192.0.2.1", ClientAddress.of(InetAddress.ofLiteral("192.0.2.1")));
  }
}
