package dev.pvcpopulators.operator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pvcpopulators.operator.api.DynamicVolume;
import dev.pvcpopulators.operator.api.DynamicVolumeSpec;
import dev.pvcpopulators.operator.api.DynamicVolumeStatus;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.dynamic.ContainerAnswer;
import dev.pvcpopulators.operator.dynamic.VolumeAccess;
import dev.pvcpopulators.operator.dynamic.VolumeReason;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Checks how the operator interprets the answers of a container. A scripted server replaces the
/// container. The server has the certificate that the operator created for the container.
final class ConversationTest {
  private static final String YAML = "application/yaml";
  private static final String JSON = "application/json";
  private static final String SOURCE = "pvc:\n  claimname: disk\n";
  private static final String READY =
      "{\"phase\":\"Ready\",\"bytesIn\":5,\"bytesOut\":5,\"virtualSize\":16777216,"
          + "\"revision\":\"r2\"}";

  private final Tokens tokens = new Tokens(new byte[32]);
  private final DynamicVolume volume = volume();
  private final VolumeAccess access = VolumeAccess.of(volume, tokens, Instant.now());
  private final Map<String, Reply> script = new ConcurrentHashMap<>();
  private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
  private final BlockingQueue<ContainerAnswer> heard = new LinkedBlockingQueue<>();
  private final Conversations conversations = new Conversations(tokens, Duration.ZERO);
  private HttpsServer server;

  private record Reply(int status, String type, String body) {}

  ConversationTest() throws IOException {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  }

  @BeforeEach
  void serve() throws IOException, GeneralSecurityException {
    server.setHttpsConfigurator(new HttpsConfigurator(context(access.secret().getStringData())));
    server.createContext("/", this::answer);
    server.start();
    conversations.listen(about -> {
      ContainerAnswer said = conversations.heard(about, List.of(pod()));
      // The last report of an ended conversation may arrive after the next conversation has begun.
      // Then `heard` returns the state of the next conversation, which has no answer yet.
      if (said != null && !(said instanceof ContainerAnswer.Silent)) {
        heard.add(said);
      }
    });
    status(null, null);
  }

  @AfterEach
  void stop() {
    conversations.leave(volume);
    server.stop(0);
  }

  private static DynamicVolume volume() {
    DynamicVolume volume = new DynamicVolume();
    volume.getMetadata().setNamespace("vms");
    volume.getMetadata().setName("vm1");
    volume.getMetadata().setUid("u1");
    return volume;
  }

  private void status(@Nullable String source, @Nullable String revision) {
    volume.setSpec(
        new DynamicVolumeSpec(
            Serialization.unmarshal("{}", com.fasterxml.jackson.databind.JsonNode.class),
            null,
            null,
            server.getAddress().getPort(),
            null,
            null));
    volume.setStatus(
        new DynamicVolumeStatus(
            null, null, source, null, null, revision, null, null, access.certificate(), null));
  }

  private static Pod pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withUid("p1")
        .endMetadata()
        .withNewStatus()
        .withPodIP("127.0.0.1")
        .endStatus()
        .build();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String tag = exchange.getRequestHeaders().getFirst("If-Match");
    String request =
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestURI().getPath()
            + (tag == null ? "" : " " + tag);
    requests.add(request);
    boolean allowed =
        ("Bearer " + tokens.volume(volume))
            .equals(exchange.getRequestHeaders().getFirst("Authorization"));
    Reply reply = allowed ? script.getOrDefault(request, problem(404, true)) : problem(401, false);
    byte[] body = reply.body().getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", reply.type());
    exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /// The claim of a stream should be bound soon after the stream's pod is ready, so the pauses
  /// before the first answer are short.
  @Test
  void asksOftenUntilTheFirstAnswer() {
    ContainerAnswer silent = new ContainerAnswer.Silent("refused");
    Duration pause = Duration.ofMillis(100);
    for (int request = 0; request < 100; request++) {
      pause = Conversation.next(pause, silent, false);
      assertTrue(pause.compareTo(Duration.ofMillis(500)) <= 0, pause::toString);
    }
    assertEquals(
        Duration.ofSeconds(1),
        Conversation.next(pause, new ContainerAnswer.Moving("Transferring", "1%"), false));
    assertEquals(Duration.ofSeconds(30), Conversation.next(Duration.ofSeconds(20), silent, true));
  }

  private static Reply problem(int status, boolean retryable) {
    return new Reply(
        status,
        "application/problem+json",
        ("{\"type\":\"about:blank\",\"title\":\"Refused\",\"status\":%d,\"detail\":\"because\","
                + "\"retryable\":%s}")
            .formatted(status, retryable));
  }

  private void begin() {
    conversations.converse(volume, pod());
  }

  private void delete(@Nullable String source, @Nullable String revision) {
    status(source, revision);
    volume.getMetadata().setDeletionTimestamp("2026-11-25T10:00:00Z");
    begin();
  }

  private void awaitRequest(String expected) throws InterruptedException {
    String request = null;
    while (!expected.equals(request)) {
      request = Objects.requireNonNull(requests.poll(60, TimeUnit.SECONDS), expected);
    }
  }

  private ContainerAnswer heard() throws InterruptedException {
    return Objects.requireNonNull(heard.poll(60, TimeUnit.SECONDS), "nothing was heard");
  }

  @Test
  void theAnswerIsKeptByteForByte() throws InterruptedException {
    script.put("PUT /volume", new Reply(201, YAML, SOURCE + "# as it came\n"));
    script.put("GET /volume/status", new Reply(200, JSON, READY));
    begin();
    ContainerAnswer.Made made = assertInstanceOf(ContainerAnswer.Made.class, heard());
    assertEquals(SOURCE + "# as it came\n", made.yaml());
    assertEquals("r2", made.revision());
    assertEquals(1L << 24, made.virtualSize());
  }

  @Test
  void reportsAnswersThatViolateTheContract() throws InterruptedException {
    for (Reply reply :
        List.of(
            new Reply(200, "text/html", "<html>"),
            new Reply(500, "text/plain", "oops"),
            new Reply(200, YAML, "nfs: {}\n"),
            new Reply(200, YAML, "x".repeat(1 << 20)))) {
      script.put("PUT /volume", reply);
      begin();
      ContainerAnswer.Unusable none = assertInstanceOf(ContainerAnswer.Unusable.class, heard());
      assertEquals(VolumeReason.NotTheContract, none.reason(), none.message());
      assertTrue(none.message().matches("PUT https://.*/volume: .*expected .*, found .*"));
      conversations.leave(volume);
      heard.clear();
    }
  }

  @Test
  void aFailureStaysWhileTheContainerOnlyAccepts() throws InterruptedException {
    script.put(
        "PUT /volume", new Reply(202, YAML, "phase: Transferring\nbytesIn: 0\nrevision: r1\n"));
    script.put("GET /volume/status", new Reply(200, "text/html", "<html>"));
    begin();
    assertInstanceOf(ContainerAnswer.Moving.class, heard());
    assertEquals(
        VolumeReason.NotTheContract,
        assertInstanceOf(ContainerAnswer.Unusable.class, heard()).reason());
    requests.clear();
    awaitRequest("PUT /volume");
    awaitRequest("PUT /volume");
    assertTrue(heard.isEmpty(), heard::toString);
  }

  /// The container reports the end of the creation, but then has no volume.
  @Test
  void reportsAContainerWithoutAVolumeAfterItsCreation() throws InterruptedException {
    script.put(
        "PUT /volume", new Reply(202, YAML, "phase: Transferring\nbytesIn: 0\nrevision: r1\n"));
    script.put(
        "GET /volume/status",
        new Reply(200, "text/event-stream", "event: status\ndata: " + READY + "\n\n"));
    begin();
    assertInstanceOf(ContainerAnswer.Moving.class, heard());
    assertInstanceOf(ContainerAnswer.Moving.class, heard());
    ContainerAnswer.Unusable none = assertInstanceOf(ContainerAnswer.Unusable.class, heard());
    assertEquals(VolumeReason.NotTheContract, none.reason());
    assertTrue(none.message().endsWith("expected one, found none"), none.message());
  }

  @Test
  void reportsAContainerThatDoesNotListen() throws InterruptedException {
    server.stop(0);
    begin();
    assertEquals(
        VolumeReason.NoAnswer, assertInstanceOf(ContainerAnswer.Unusable.class, heard()).reason());
  }

  @Test
  void anotherCertificateIsRefused() throws InterruptedException {
    volume.setStatus(
        new DynamicVolumeStatus(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            VolumeAccess.of(volume, tokens, Instant.now()).certificate(),
            null));
    begin();
    assertEquals(
        VolumeReason.CertificateRefused,
        assertInstanceOf(ContainerAnswer.Unusable.class, heard()).reason());
    assertTrue(requests.isEmpty(), "the token was shown");
  }

  @Test
  void reportsARefusedToken() throws InterruptedException {
    script.put("PUT /volume", problem(401, false));
    begin();
    assertEquals(
        VolumeReason.TokenRefused,
        assertInstanceOf(ContainerAnswer.Unusable.class, heard()).reason());
  }

  @Test
  void aCreationThatFailsForGoodIsNotTriedAgain() throws InterruptedException {
    script.put("PUT /volume", problem(422, false));
    begin();
    ContainerAnswer.Failed failed = assertInstanceOf(ContainerAnswer.Failed.class, heard());
    assertEquals("Refused: because", failed.message());
    assertEquals(false, failed.again());
  }

  /// The removal must not begin before the creation has ended. Otherwise the container could create
  /// the volume again after the removal.
  @Test
  void aRemovalBeginsAfterTheEndOfTheCreation() throws InterruptedException {
    script.put("PUT /volume", problem(503, true));
    script.put("DELETE /volume \"r1\"", new Reply(204, "text/plain", ""));
    CountDownLatch failed = new CountDownLatch(1);
    CountDownLatch removed = new CountDownLatch(1);
    conversations.listen(_ -> {
      if (failed.getCount() == 0) {
        removed.countDown();
        return;
      }
      failed.countDown();
      try {
        removed.await();
      } catch (InterruptedException _) {
        requests.add("interrupt");
        Thread.currentThread().interrupt();
      }
    });
    begin();
    assertTrue(failed.await(5, TimeUnit.MINUTES));
    delete(SOURCE, "r1");
    assertTrue(removed.await(5, TimeUnit.MINUTES));
    assertEquals(
        List.of("PUT /volume", "interrupt", "DELETE /volume \"r1\""), List.copyOf(requests));
  }

  @Test
  void aRemovalNamesTheRevision() throws InterruptedException {
    script.put("DELETE /volume \"r1\"", new Reply(204, "text/plain", ""));
    delete(SOURCE, "r1");
    assertInstanceOf(ContainerAnswer.Removed.class, heard());
  }

  @Test
  void theSameVolumeUnderAnotherRevisionIsRemoved() throws InterruptedException {
    script.put("DELETE /volume \"r1\"", problem(412, false));
    script.put("GET /volume", new Reply(200, YAML, SOURCE));
    script.put("GET /volume/status", new Reply(200, JSON, READY));
    script.put("DELETE /volume \"r2\"", new Reply(204, "text/plain", ""));
    delete(SOURCE, "r1");
    assertInstanceOf(ContainerAnswer.Removed.class, heard());
  }

  @Test
  void anotherVolumeStays() throws InterruptedException {
    script.put("DELETE /volume \"r1\"", problem(412, false));
    script.put("GET /volume", new Reply(200, YAML, "pvc:\n  claimname: another\n"));
    script.put("GET /volume/status", new Reply(200, JSON, READY));
    delete(SOURCE, "r1");
    assertInstanceOf(ContainerAnswer.Changed.class, heard());
    assertTrue(requests.stream().noneMatch("DELETE /volume \"r2\""::equals));
  }

  private static SSLContext context(Map<String, String> secret)
      throws GeneralSecurityException, IOException {
    Certificate certificate =
        CertificateFactory.getInstance("X.509")
            .generateCertificate(
                new ByteArrayInputStream(text(secret, "tls.crt").getBytes(US_ASCII)));
    byte[] key = Base64.getMimeDecoder().decode(text(secret, "tls.key").replaceAll("-.*-", ""));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "server",
        KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
        new char[0],
        new Certificate[] {certificate});
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private static String text(Map<String, String> secret, String key) {
    return Objects.requireNonNull(secret.get(key), key);
  }
}
