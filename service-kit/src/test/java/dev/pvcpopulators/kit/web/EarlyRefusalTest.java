package dev.pvcpopulators.kit.web;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.endsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.security.OpenPath;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests requests that the service must refuse before it reads their bodies.
@QuarkusTest
class EarlyRefusalTest {
  private static final String HUGE = "Content-Length: 10737418240";
  private static final String TOKEN = "Authorization: Bearer " + VolumeResourceTest.TOKEN;

  /// The name of a header field for a token. The proxies of the API server forward this field.
  private static final String OWN = "X-Populator-Token: ";

  private static void refused(RawRequest raw, String statusLine) throws IOException {
    List<String> head = raw.head();
    assertEquals(statusLine, head.getFirst(), "the first answer, so no 100 Continue before it");
    assertTrue(
        head.stream()
            .anyMatch(line -> line.equalsIgnoreCase("content-type: application/problem+json")),
        head.toString());
    String body = raw.body(RawRequest.length(head));
    assertTrue(body.startsWith("{\"type\":") && body.endsWith("}"), body);
  }

  @Test
  void withoutATokenExpectContinueIsRefusedAtOnce() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", HUGE, "Expect: 100-continue");
      refused(raw, "HTTP/1.1 401 Unauthorized");
    }
  }

  @Test
  void withoutATokenASenderGetsTheAnswerAndNoReset() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /somewhere HTTP/1.1", "Host: x", HUGE);
      raw.sendBody(16 << 20);
      refused(raw, "HTTP/1.1 401 Unauthorized");
    }
  }

  @Test
  void closeThatTheClientAskedForDoesNotDestroyTheAnswer() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", "Connection: close", HUGE);
      raw.sendBody(16 << 20);
      refused(raw, "HTTP/1.1 401 Unauthorized");
    }
  }

  @Test
  void shortRefusedBodyIsReadToItsEndAndTheConnectionClosed() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", "Content-Length: 65536");
      raw.sendBody(65_536);
      refused(raw, "HTTP/1.1 401 Unauthorized");
      assertEquals(-1, raw.socket.getInputStream().read());
    }
  }

  @Test
  void closesEndlessRequests() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", HUGE);
      assertThrows(IOException.class, () -> raw.sendBody(10L << 30));
    }
  }

  @Test
  void accessRefusalsAreCounted() {
    double before = refusals();
    given().get("/volume").then().statusCode(401).body("detail", endsWith("found none"));
    given()
        .header("Authorization", "Bearer wrong")
        .get("/volume/status")
        .then()
        .statusCode(401)
        .body("detail", endsWith("found another"));
    assertEquals(before + 2, refusals());
  }

  private static double refusals() {
    String metrics = given().get("/q/metrics").then().statusCode(200).extract().asString();
    String sample = "pvc_populator_auth_refusals_total{reason=\"unauthenticated\"} ";
    return metrics
        .lines()
        .filter(line -> line.startsWith(sample))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length())))
        .sum();
  }

  @Test
  void unknownPathIsRefusedBeforeItsBody() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /nowhere HTTP/1.1", "Host: x", TOKEN, HUGE, "Expect: 100-continue");
      refused(raw, "HTTP/1.1 404 Not Found");
    }
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /nowhere HTTP/1.1", "Host: x", TOKEN, HUGE);
      raw.sendBody(16 << 20);
      refused(raw, "HTTP/1.1 404 Not Found");
    }
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /nowhere HTTP/1.1", "Host: x", TOKEN, HUGE);
      assertThrows(IOException.class, () -> raw.sendBody(10L << 30));
    }
  }

  @Test
  void hugeBodyOfVolumeIsRefusedBeforeItIsSent() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", TOKEN, HUGE, "Expect: 100-continue");
      refused(raw, "HTTP/1.1 413 Request Entity Too Large");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"zz\r\nabcd", "4\r\nabcd\r\nzz"})
  void chunkThatCannotBeReadIsRefused(String body) throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT /volume HTTP/1.1", "Host: x", TOKEN, "Transfer-Encoding: chunked", "", body);
      refused(raw, "HTTP/1.1 400 Bad Request");
    }
  }

  @Test
  void connectionIsUsedAgainAfterAnAnswerWithoutABody() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      for (int i = 0; i < 3; i++) {
        raw.send("GET /nowhere HTTP/1.1", "Host: x", TOKEN);
        refused(raw, "HTTP/1.1 404 Not Found");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/volume",
        "/volume/status",
        "/nowhere",
        "/q/health/",
        "//q/health",
        "/q/health;x",
        "/q/health/../../volume",
        "/q/%68ealth",
        "/q/health/live/",
        "/q/health/group/x",
        "/q/metrics/",
        "/q/openapi",
        "/Q/health",
        "/page",
        "/page/"
      })
  void pathIsClosedWithoutToken(String path) throws Exception {
    for (String header :
        List.of(
            "X: none",
            "Authorization: Bearer",
            "Authorization: Bearer wrong",
            "Authorization: Basic Y29ycmVjdC1ob3JzZQ==",
            TOKEN + "x",
            TOKEN + "\r\n" + TOKEN,
            OWN,
            OWN + VolumeResourceTest.TOKEN + "x",
            OWN + VolumeResourceTest.TOKEN + "\r\n" + OWN + VolumeResourceTest.TOKEN)) {
      try (RawRequest raw = new RawRequest()) {
        raw.send("GET " + path + " HTTP/1.1", "Host: x", header);
        List<String> head = raw.head();
        assertEquals("HTTP/1.1 401 Unauthorized", head.getFirst(), header);
        assertTrue(
            head.stream().anyMatch(line -> line.equalsIgnoreCase("www-authenticate: bearer")));
      }
    }
  }

  @Test
  void theTokenMayComeInItsOwnField() throws Exception {
    for (String fields :
        List.of(
            OWN + VolumeResourceTest.TOKEN,
            "x-populator-token:" + VolumeResourceTest.TOKEN,
            TOKEN + "\r\n" + OWN + VolumeResourceTest.TOKEN)) {
      try (RawRequest raw = new RawRequest()) {
        raw.send("GET /volume/status HTTP/1.1", "Host: x", fields);
        assertEquals("HTTP/1.1 200 OK", raw.head().getFirst(), fields);
      }
    }
  }

  /// The service must refuse a request with two tokens even if one of them is right, because a
  /// proxy may have added the right token.
  @Test
  void twoTokensAreRefusedBeforeTheBody() throws Exception {
    double before = refusals();
    for (String fields :
        List.of(
            TOKEN + "\r\n" + OWN + "another",
            "Authorization: Bearer another\r\n" + OWN + VolumeResourceTest.TOKEN,
            "Authorization: Basic Y29ycmVjdC1ob3JzZQ==\r\n" + OWN + VolumeResourceTest.TOKEN)) {
      try (RawRequest raw = new RawRequest()) {
        raw.send("PUT /volume HTTP/1.1", "Host: x", fields, HUGE, "Expect: 100-continue");
        refused(raw, "HTTP/1.1 400 Bad Request");
      }
    }
    assertEquals(before + 3, refusals());
  }

  @ParameterizedTest
  @EnumSource
  void pathIsOpenForReadingOnly(OpenPath open) throws Exception {
    String path = open.path();
    try (RawRequest raw = new RawRequest()) {
      raw.send("GET " + path + " HTTP/1.1", "Host: x");
      assertEquals("HTTP/1.1 200 OK", raw.head().getFirst());
    }
    try (RawRequest raw = new RawRequest()) {
      raw.send("PUT " + path + " HTTP/1.1", "Host: x", HUGE);
      assertEquals("HTTP/1.1 401 Unauthorized", raw.head().getFirst());
    }
  }

  /// The request target contains an authority. A proxy uses this authority, but the HTTP engine
  /// uses `Host`.
  @Test
  void hostThatContradictsTheTargetIsRefused() throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("GET http://y/volume/status HTTP/1.1", "Host: x", TOKEN);
      refused(raw, "HTTP/1.1 400 Bad Request");
    }
    try (RawRequest raw = new RawRequest()) {
      raw.send("GET http://X/q/health HTTP/1.1", "Host: x");
      assertEquals("HTTP/1.1 200 OK", raw.head().getFirst());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.2", "HTTP/3.0", "HTTP/0.9"})
  void otherVersionsAreRefused(String version) throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send("GET /q/health " + version, "Host: x");
      List<String> head = raw.head();
      assertTrue(head.getFirst().endsWith(" 505 HTTP Version Not Supported"), head.toString());
      assertTrue(raw.rest().contains("Expected HTTP/1.0 or HTTP/1.1"));
    }
  }

  /// Uses addresses that no other test uses, because the service does not limit the requests of an
  /// address that has sent the right token.
  @ParameterizedTest
  @CsvSource({"127.0.0.66, 'Authorization: Bearer '", "127.0.0.67, 'X-Populator-Token: '"})
  void manyWrongTokensOfOneAddressAreNotLookedAt(String client, String field) throws Exception {
    InetAddress address = InetAddress.ofLiteral(client);
    String status = "";
    for (int i = 0; i < 1_000 && !status.contains(" 429 "); i++) {
      try (RawRequest raw = RawRequest.from(address)) {
        raw.send("GET /volume/status HTTP/1.1", "Host: x", field + "wrong-" + i);
        status = raw.head().getFirst();
      }
    }
    assertEquals("HTTP/1.1 429 Too Many Requests", status);
  }

  /// A proxy and this service must agree where a body ends and the next request begins.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: \"chunked\"",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Transfer-Encoding : chunked",
        "Content-Length: 0\r\nContent-Length: 31",
        "Content-Length: 0, 31",
        "Content-Length: +0",
        "Content-Length: 0x0",
        "Content-Length: -1",
        "Content-Length: 99999999999999999999",
        "Content-Length: 0\nContent-Length: 31",
        "Content-Length: 0\r\nHost: y",
        "Content-Length: 0\r\nnothing",
      })
  void refusesAmbiguousRequests(String fields) throws Exception {
    try (RawRequest raw = new RawRequest()) {
      raw.send(
          "PUT /volume HTTP/1.1",
          "Host: x",
          TOKEN,
          fields,
          "",
          "0",
          "",
          "GET /q/health HTTP/1.1",
          "Host: x");
      String status = raw.head().getFirst();
      assertTrue(status.matches("HTTP/1\\.[01] (400|411|413|501) .*"), status);
      assertFalse(raw.rest().contains("HTTP/1"), "a second answer");
    }
  }
}
