package dev.pvcpopulators.httpupload;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests the HTTP behaviour that the page at `/` needs. The tests in `it/browser` run the page in a
/// browser.
@QuarkusTest
@TestProfile(UploadRouteTest.Directory.class)
@Timeout(1200)
class UploadPageTest {
  private static final Pattern IMPORT =
      Pattern.compile("(?:from|import) \"\\./([a-z0-9-]+\\.js)\"");
  private static final Pattern ASSET = Pattern.compile("(?:src|href)=\"(page/[^\"]+)\"");

  /// Matches a path that starts at the root of the host. If a proxy adds a prefix to the page's
  /// path, a path from the root of the host is wrong.
  private static final Pattern FROM_THE_ROOT = Pattern.compile("[\"'`(](/[A-Za-z]\\w*)");

  private final byte[] disk = new byte[3072];

  UploadPageTest() {
    new Random(11).nextBytes(disk);
  }

  @AfterEach
  void leavesNothingBehind() {
    given().delete("/volume").then().statusCode(204);
  }

  private static String page(String path) {
    return given().get(path).then().statusCode(200).extract().asString();
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1)).toList();
  }

  /// Sends the whole disk in the first request of an upload, and leaves the upload incomplete. If
  /// `key` is empty, the request contains no key.
  private Response begin(String key) {
    var request = given().header("Upload-Complete", "?0").header("Upload-Length", disk.length);
    return (key.isEmpty() ? request : request.header("Upload-Key", key)).body(disk).put("/upload");
  }

  private Response finish(String key, String digest) {
    return given()
        .header("Upload-Key", key)
        .header("Upload-Offset", disk.length)
        .header("Upload-Complete", "?1")
        .header("Repr-Digest", "sha-256=:" + digest + ":")
        .patch("/upload");
  }

  private String digest() throws NoSuchAlgorithmException {
    return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(disk));
  }

  @Test
  void servesEveryListedFile() {
    UploadPage.page().files().forEach(UploadPageTest::page);
  }

  @Test
  void servesEveryFileThatThePageLoads() {
    String index = page("/");
    assertTrue(index.contains("<title>http-upload</title>"), index);
    List<String> assets = found(ASSET, index).stream().map("/"::concat).toList();
    assertTrue(assets.contains("/page/upload.js"), index);
    Queue<String> wanted = new ArrayDeque<>(assets);
    // No script imports `hash-worker.js`. The page starts this file as a worker.
    wanted.add("/page/hash-worker.js");
    Set<String> seen = new HashSet<>(wanted);
    while (!wanted.isEmpty()) {
      String text = page(wanted.remove());
      assertEquals(List.of(), found(FROM_THE_ROOT, text), "paths from the root of the host");
      for (String imported : found(IMPORT, text)) {
        if (seen.add("/page/" + imported)) {
          wanted.add("/page/" + imported);
        }
      }
    }
    assertTrue(seen.contains("/page/sha256.js"), seen.toString());
  }

  @Test
  void allowsAWorkerAndNothingFromElsewhere() {
    given()
        .get("/")
        .then()
        .header("Content-Security-Policy", containsString("default-src 'none'"))
        .header("Content-Security-Policy", containsString("worker-src 'self'"))
        .header("Access-Control-Allow-Origin", equalTo(null));
  }

  @Test
  void returnsTheClientsUploadKey() {
    assertNull(given().head("/upload").header("Upload-Key"));
    assertEquals(204, begin("a.B-9_~").statusCode());
    assertEquals("a.B-9_~", given().head("/upload").header("Upload-Key"));
  }

  @Test
  void withoutANameItReportsNone() {
    assertEquals(204, begin("").statusCode());
    assertNull(given().head("/upload").header("Upload-Key"));
    assertEquals(409, finish("mine", digestOfNothing()).statusCode());
  }

  private static String digestOfNothing() {
    return Base64.getEncoder().encodeToString(new byte[32]);
  }

  @Test
  void refusesKeysThatAreNoWord() {
    for (String key : List.of("a b", "ä", "a".repeat(65), "a;b")) {
      given()
          .header("Upload-Key", key)
          .body(disk)
          .put("/upload")
          .then()
          .statusCode(400)
          .body("detail", containsString("Upload-Key"));
    }
  }

  @Test
  void takesTheDigestWithTheLastRequest() throws NoSuchAlgorithmException {
    assertEquals(204, begin("mine").statusCode());
    assertEquals(409, finish("another", digest()).statusCode());
    Response made = finish("mine", digest());
    assertEquals(201, made.statusCode(), made.asString());
    assertNull(given().head("/upload").header("Upload-Key"), "an upload that has ended has no key");
  }

  @Test
  void keepsNothingWhereTheDigestOfTheLastRequestDiffers() {
    assertEquals(204, begin("mine").statusCode());
    Response refused = finish("mine", digestOfNothing());
    assertEquals(422, refused.statusCode(), refused.asString());
    given().get("/volume/status").then().body("phase", equalTo("Failed"));
  }
}
