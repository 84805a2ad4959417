package dev.pvcpopulators.volume.client;

import static dev.pvcpopulators.volume.client.ScriptedServer.says;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpHandler;
import dev.pvcpopulators.volume.Expected;
import dev.pvcpopulators.volume.IscsiSource;
import dev.pvcpopulators.volume.Phase;
import dev.pvcpopulators.volume.PvcSource;
import dev.pvcpopulators.volume.VolumeRequest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the client with servers that follow the contract, with servers that violate the contract,
/// and with hostile servers.
@Timeout(600)
class VolumeClientTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String YAML = "application/yaml;charset=UTF-8";
  private static final String PROBLEM = "application/problem+json";
  private static final String EVENTS = "text/event-stream";
  private static final String HTML = "<html><body>It works!</body></html>";
  private static final String TOKEN = "correct-horse-battery";

  private static final HttpHandler DENIED =
      says(
          401,
          PROBLEM,
          """
          {"type":"urn:pvc-populators:problem:unauthenticated","title":"Credentials are missing",
           "status":401,"detail":"a token is needed","retryable":false}\
          """);
  private static final HttpHandler CHANGED =
      says(
          412,
          PROBLEM,
          """
          {"type":"about:blank","title":"Precondition Failed","status":412,"detail":"changed"}\
          """);

  private static String status(String phase) {
    return "{\"phase\":\"%s\",\"bytesIn\":7,\"bytesOut\":3,\"bytesPerSecond\":0,\"revision\":\"r-1\"}"
        .formatted(phase);
  }

  private static String event(String phase) {
    return ": hello\n\nevent: status\nretry: 50\ndata: " + status(phase) + "\n\n";
  }

  private static String message(IOException e) {
    return String.valueOf(e.getMessage());
  }

  private static VolumeAnswer put(Endpoint endpoint) throws IOException, InterruptedException {
    try (VolumeClient client = new VolumeClient(endpoint)) {
      return client.put(VolumeRequest.empty(), Duration.ZERO);
    }
  }

  private static <E extends IOException> E refused(Class<E> type, HttpHandler... answers)
      throws IOException {
    try (ScriptedServer server = ScriptedServer.answering(answers)) {
      return assertThrows(type, () -> put(server.endpoint()));
    }
  }

  @Test
  void theSourceIsKeptByteForByte() throws IOException, InterruptedException {
    String odd = "# made by hand: ü\r\npvc:   {claimname: some-pvc-name}\n\n";
    String lun =
        "iscsi:\n  host: {name: 10.1.2.3, port: \"3260\"}\n  portal: iqn.x\nlun: 2\nmore: [1]\n";
    try (ScriptedServer server =
            ScriptedServer.answering(says(201, YAML, odd), says(200, YAML, lun));
        VolumeClient client = new VolumeClient(server.endpoint())) {
      VolumeRequest request =
          new VolumeRequest(JsonNodeFactory.instance.objectNode().put("image", "a:b"));
      assertEquals(
          new VolumeAnswer.Usable(new PvcSource("some-pvc-name"), true, odd),
          client.put(request, Duration.ofSeconds(90)));
      assertEquals(
          new VolumeAnswer.Usable(new IscsiSource("10.1.2.3", 3260, "iqn.x", 2), false, lun),
          client.get());
      assertEquals(
          List.of(
              new ScriptedServer.Seen("PUT /volume", "wait=90", "", "", "{\"image\":\"a:b\"}"),
              new ScriptedServer.Seen("GET /volume", "", "", "", "")),
          server.seen());
    }
  }

  @Test
  void aCreationUnderWayIsAStatus() throws IOException, InterruptedException {
    String yaml = "phase: Pending\nbytesIn: 0\nrevision: k3-1\n";
    try (ScriptedServer server = ScriptedServer.answering(says(202, YAML, yaml))) {
      VolumeAnswer.UnderWay answer =
          assertInstanceOf(VolumeAnswer.UnderWay.class, put(server.endpoint()));
      assertEquals(Phase.Pending, answer.status().phase());
      assertEquals("k3-1", answer.status().revision());
      assertEquals(-1, answer.status().totalBytes());
      assertEquals("respond-async", server.seen().getFirst().prefer());
    }
  }

  @Test
  void aProblemIsTyped() throws IOException {
    ProblemException denied = refused(ProblemException.class, DENIED);
    assertEquals(401, denied.problem().status());
    assertEquals("unauthenticated", denied.problem().kind().orElseThrow());
    assertFalse(denied.problem().retryable());
    assertTrue(message(denied).endsWith("401 Credentials are missing: a token is needed"));
  }

  @Test
  void noVolumeIsAnAnswerOfGet() throws IOException, InterruptedException {
    HttpHandler absent =
        says(
            404,
            PROBLEM,
            "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\"detail\":\"none\"}");
    try (ScriptedServer server = ScriptedServer.answering(absent, says(404, "text/html", HTML));
        VolumeClient client = new VolumeClient(server.endpoint())) {
      assertEquals(new VolumeAnswer.Absent(), client.get());
      assertThrows(InvalidAnswerException.class, client::get);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 201, 202, 204, 301, 401, 404, 500, 502})
  void aPageIsNoAnswer(int status) throws IOException {
    InvalidAnswerException page =
        refused(InvalidAnswerException.class, says(status, "text/html", status == 204 ? "" : HTML));
    assertFalse(message(page).contains("It works"), page::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "text",
        "pvc: some-name",
        "pvc: {claimname: 7}",
        "pvc: {claimname: \" \"}",
        "pvc: {claimname: a}\niscsi: {}",
        "a: &a [x]\npvc: {claimname: *a}",
        "pvc: {claimname: a}\npvc: {claimname: b}",
        "iscsi: {host: {name: h, port: \"0\"}, portal: p}\nlun: 1",
        "iscsi: {host: {name: h, port: 3260}, portal: p}\nlun: 1",
        "iscsi: {host: {name: h, port: \"3260\"}, portal: p}",
        "iscsi: {host: {name: h, port: \"3260\"}, portal: p, lun: 1}\nlun: 2",
        "iscsi: {host: {name: h, port: \"3260\"}, portal: p}\nlun: 16384",
        "- - - - - - - - - - - - - - - - - - - x"
      })
  void anotherSchemaIsRefused(String body) throws IOException {
    refused(InvalidAnswerException.class, says(200, YAML, body));
  }

  @Test
  void aSourceThatIsNotUtf8IsRefused() throws IOException {
    refused(
        InvalidAnswerException.class,
        exchange -> {
          byte[] body = "pvc: {claimname: a}\n# \u00ff".getBytes(ISO_8859_1);
          exchange.getResponseHeaders().set("Content-Type", YAML);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"type\":\"about:blank\",\"title\":\"t\",\"status\":409,\"detail\":\"d\"}",
        "{\"type\":1,\"title\":\"t\",\"status\":500,\"detail\":\"d\"}",
        "nothing"
      })
  void aProblemThatIsNoneIsRefused(String body) throws IOException {
    refused(InvalidAnswerException.class, says(500, PROBLEM, body));
  }

  @Test
  void problemTextsCannotControlTheTerminal() throws IOException {
    String body =
        "{\"type\":\"x\",\"title\":\"t\",\"status\":500,\"detail\":\"\\u001b[2J\\n"
            + "a".repeat(3_000)
            + "\"}";
    ProblemException problem = refused(ProblemException.class, says(500, PROBLEM, body));
    assertTrue(message(problem).length() < 700, problem::toString);
    assertFalse(message(problem).chars().anyMatch(Character::isISOControl));
  }

  @Test
  void anEndlessBodyIsCut() throws IOException {
    IOException cut =
        refused(
            IOException.class,
            exchange -> {
              exchange.getResponseHeaders().set("Content-Type", YAML);
              exchange.sendResponseHeaders(200, 0);
              byte[] chunk = new byte[65_536];
              Arrays.fill(chunk, (byte) '#');
              while (true) {
                // The write throws an exception when the client closes the connection.
                exchange.getResponseBody().write(chunk);
              }
            });
    assertFalse(cut instanceof HttpTimeoutException, cut::toString);
  }

  @Test
  void aConnectionThatIsCutIsAFailure() throws IOException {
    refused(
        IOException.class,
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", YAML);
          exchange.sendResponseHeaders(200, 1_000);
          exchange.getResponseBody().write("pvc: {claimname: a}\n".getBytes(UTF_8));
          exchange.getResponseBody().flush();
          throw new IOException("cut");
        });
  }

  @Test
  void aBodyThatDoesNotEndIsGivenUp() throws IOException {
    try (ScriptedServer server =
        ScriptedServer.answering(exchange -> {
          exchange.getResponseHeaders().set("Content-Type", YAML);
          exchange.sendResponseHeaders(200, 1_000);
          exchange.getResponseBody().write('p');
          exchange.getResponseBody().flush();
          while (true) {
            // The handler blocks until the test stops the server.
            LockSupport.park();
            if (Thread.currentThread().isInterrupted()) {
              return;
            }
          }
        })) {
      assertThrows(
          HttpTimeoutException.class, () -> put(server.endpoint().within(Duration.ofSeconds(2))));
    }
  }

  @Test
  void redirectsAreNotFollowed() throws IOException {
    try (ScriptedServer other = ScriptedServer.answering(says(200, YAML, "pvc: {claimname: a}"));
        ScriptedServer server =
            ScriptedServer.answering(exchange -> {
              exchange.getResponseHeaders().set("Location", other.uri() + "/volume");
              exchange.sendResponseHeaders(307, -1);
            })) {
      Endpoint endpoint = server.endpoint().with(new Credentials.Token(TOKEN));
      assertThrows(InvalidAnswerException.class, () -> put(endpoint));
      assertEquals(List.of(), other.seen());
    }
  }

  @Test
  void onlyTheGivenAuthorityAndTheRightNameAreTrusted(@TempDir Path directory)
      throws IOException, InterruptedException, GeneralSecurityException {
    ServiceKeys right = ServiceKeys.of(directory, "right", "ip:127.0.0.1");
    ServiceKeys other = ServiceKeys.of(directory, "other", "ip:127.0.0.1");
    ServiceKeys misnamed = ServiceKeys.of(directory, "misnamed", "dns:example.com,ip:127.0.0.2");
    HttpHandler answer = says(200, YAML, "pvc: {claimname: a}");
    try (ScriptedServer server = ScriptedServer.tls(right.server(), answer)) {
      assertInstanceOf(VolumeAnswer.Usable.class, put(server.endpoint().trusting(right.pem())));
      assertRefused(server, () -> put(server.endpoint().trusting(other.pem())));
      assertRefused(server, () -> put(server.endpoint()));
      assertRefused(
          server,
          () -> {
            try (VolumeClient client = new VolumeClient(server.endpoint())) {
              client.follow(_ -> true, LONG);
            }
          });
    }
    try (ScriptedServer server = ScriptedServer.tls(misnamed.server(), answer)) {
      assertRefused(server, () -> put(server.endpoint().trusting(misnamed.pem())));
    }
    Path none = Files.writeString(directory.resolve("none.pem"), "nothing");
    assertThrows(
        IOException.class,
        () -> put(Endpoint.of(URI.create("https://127.0.0.1:1")).trusting(none)));
  }

  private static void assertRefused(ScriptedServer server, Executable request) {
    int before = server.seen().size();
    IOException refusal = assertThrows(IOException.class, request);
    assertInstanceOf(SSLHandshakeException.class, refusal.getCause());
    assertEquals(before, server.seen().size());
  }

  @Test
  void theTokenIsReadForEachRequestAndNeverShown(@TempDir Path directory)
      throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve("token"), TOKEN + "\n");
    Endpoint endpoint;
    try (ScriptedServer server = ScriptedServer.answering(DENIED)) {
      endpoint = server.endpoint().with(new Credentials.TokenFile(file));
      try (VolumeClient client = new VolumeClient(endpoint)) {
        ProblemException denied = assertThrows(ProblemException.class, client::get);
        assertFalse(denied.toString().contains(TOKEN), denied::toString);
        Files.writeString(file, "another");
        assertThrows(ProblemException.class, client::status);
        assertThrows(
            ProblemException.class, () -> client.delete(new Expected.Anything(), Duration.ZERO));
      }
      assertEquals(
          List.of("Bearer " + TOKEN, "Bearer another", "Bearer another"),
          server.seen().stream().map(ScriptedServer.Seen::authorization).toList());
    }
    Credentials.Token token = new Credentials.Token(TOKEN);
    assertFalse(endpoint.with(token).toString().contains(TOKEN), token::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "two\nlines", "sm\u00f6rg\u00e5s", "x\r\nHost: other"})
  void aTokenThatCannotBeInAHeaderIsRefused(String token, @TempDir Path directory)
      throws IOException {
    Path file = Files.writeString(directory.resolve("token"), token);
    try (ScriptedServer server = ScriptedServer.answering(DENIED)) {
      IOException refusal =
          assertThrows(
              IOException.class,
              () -> put(server.endpoint().with(new Credentials.TokenFile(file))));
      assertTrue(token.isEmpty() || !message(refusal).contains(token), refusal::toString);
      assertEquals(List.of(), server.seen());
    }
  }

  @Test
  void aDeletionMeansOneRevision() throws IOException, InterruptedException {
    try (ScriptedServer server =
            ScriptedServer.answering(
                CHANGED, says(412, "text/html", HTML), says(204, "", ""), DENIED);
        VolumeClient client = new VolumeClient(server.endpoint())) {
      Expected meant = new Expected.Revision(Set.of("r-1", "r-2"));
      assertFalse(client.delete(meant, Duration.ZERO));
      assertThrows(InvalidAnswerException.class, () -> client.delete(meant, Duration.ZERO));
      assertTrue(client.delete(new Expected.Something(), Duration.ZERO));
      assertThrows(ProblemException.class, () -> client.delete(meant, Duration.ZERO));
      assertThrows(
          IllegalArgumentException.class,
          () -> client.delete(new Expected.Revision(Set.of("a\", \"b")), Duration.ZERO));
      assertEquals(
          List.of("\"r-1\", \"r-2\"", "\"r-1\", \"r-2\"", "*", "\"r-1\", \"r-2\""),
          server.seen().stream().map(ScriptedServer.Seen::ifMatch).toList());
    }
  }

  @Test
  void aLostStreamIsReadOn() throws IOException, InterruptedException {
    HttpHandler busy =
        says(
            503,
            PROBLEM,
            """
            {"type":"about:blank","title":"t","status":503,"detail":"busy","retryable":true}\
            """);
    HttpHandler cut =
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", EVENTS);
          exchange.sendResponseHeaders(200, 0);
          String half = event("Finalizing");
          exchange.getResponseBody().write(half.substring(0, half.length() - 9).getBytes(UTF_8));
          exchange.getResponseBody().flush();
          throw new IOException("cut");
        };
    try (ScriptedServer server =
            ScriptedServer.answering(
                says(200, EVENTS, event("Transferring")),
                busy,
                says(502, "text/html", HTML),
                cut,
                says(200, EVENTS, event("Ready") + event("Deleting")));
        VolumeClient client = new VolumeClient(server.endpoint())) {
      List<Phase> phases = new ArrayList<>();
      StatusReport last =
          client.follow(
              status -> {
                phases.add(status.phase());
                return !status.phase().terminal();
              },
              LONG);
      assertEquals(List.of(Phase.Transferring, Phase.Ready), phases);
      assertEquals(Phase.Ready, last.phase());
      assertEquals(7, last.bytesIn());
      assertEquals("GET /volume/status?follow=true", server.seen().getLast().line());
    }
  }

  @Test
  void aStreamThatIsNoneIsRefused() throws IOException {
    List<HttpHandler> hostile =
        List.of(
            says(200, "text/html", HTML),
            says(200, EVENTS, "event: status\ndata: {\"phase\":\"Molten\"}\n\n"),
            says(200, EVENTS, "event: status\ndata: [\n\n"),
            exchange -> {
              exchange.getResponseHeaders().set("Content-Type", EVENTS);
              exchange.sendResponseHeaders(200, 0);
              byte[] line = new byte[65_536];
              Arrays.fill(line, (byte) 'x');
              while (true) {
                exchange.getResponseBody().write(line);
              }
            });
    for (HttpHandler answer : hostile) {
      try (ScriptedServer server = ScriptedServer.answering(answer);
          VolumeClient client = new VolumeClient(server.endpoint())) {
        assertThrows(InvalidAnswerException.class, () -> client.follow(_ -> true, LONG));
      }
    }
    try (ScriptedServer server = ScriptedServer.answering(DENIED);
        VolumeClient client = new VolumeClient(server.endpoint())) {
      assertThrows(ProblemException.class, () -> client.follow(_ -> true, LONG));
      assertEquals(1, server.seen().size());
    }
  }

  @Test
  void followingHasALimit() throws IOException {
    try (ScriptedServer server = ScriptedServer.answering(says(200, EVENTS, event("Pending")));
        VolumeClient client = new VolumeClient(server.endpoint())) {
      assertThrows(
          HttpTimeoutException.class, () -> client.follow(_ -> true, Duration.ofMillis(400)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ftp://a", "https:///x", "http://u@a", "http://a/b", "http://a?b", "http://a#b"})
  void anAddressHasNothingButHostAndPort(String address) {
    URI uri = URI.create(address);
    assertThrows(IllegalArgumentException.class, () -> Endpoint.of(uri));
  }
}
