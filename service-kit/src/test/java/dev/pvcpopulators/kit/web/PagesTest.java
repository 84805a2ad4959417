package dev.pvcpopulators.kit.web;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.emptyString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests the page and its files without a token.
@QuarkusTest
class PagesTest {
  /// Matches the resources that a page, a module or a style sheet loads.
  private static final Pattern LOADED =
      Pattern.compile("(?:src=|href=|from |import |url\\()\"([^\"]+)\"");

  /// Matches a path from the root of the host: `"/volume"`.
  private static final Pattern FROM_THE_ROOT = Pattern.compile("[\"'`(]/[A-Za-z]");

  @Test
  void servesThePageWithAStrictPolicy() {
    given()
        .get("/")
        .then()
        .statusCode(200)
        .contentType("text/html; charset=utf-8")
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "no-referrer")
        .header("Cache-Control", "no-cache")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin")
        .header(
            "Content-Security-Policy",
            allOf(
                containsString("default-src 'none'"),
                containsString("frame-ancestors 'none'"),
                containsString("require-trusted-types-for 'script'; trusted-types hash-worker"),
                not(containsString("unsafe"))))
        .body(not(containsString("{service}")));
  }

  @ParameterizedTest
  @CsvSource({
    "/page/status.js, text/javascript; charset=utf-8",
    "/page/style.css, text/css; charset=utf-8",
    "/page/icon.svg, image/svg+xml"
  })
  void servesFilesByTheirMediaType(String path, String mediaType) {
    given()
        .get(path)
        .then()
        .statusCode(200)
        .header("Content-Type", mediaType)
        .header("X-Content-Type-Options", "nosniff")
        .header("Content-Security-Policy", containsString("default-src 'none'"));
  }

  @Test
  void servesEveryListedFile() {
    for (String name : Pages.STATUS.files()) {
      given().get(name).then().statusCode(200);
    }
  }

  @Test
  void hasEverythingThatThePageLoads() {
    Set<String> seen = new HashSet<>();
    Deque<String> wanted = new ArrayDeque<>();
    wanted.add("/");
    while (!wanted.isEmpty()) {
      String path = wanted.remove();
      if (!seen.add(path)) {
        continue;
      }
      String text = given().get(path).then().statusCode(200).extract().asString();
      // A proxy may add a prefix to the path of the page. With this prefix, a path from the root
      // does not lead to this service.
      assertFalse(FROM_THE_ROOT.matcher(text).find(), path + " names a path from the root");
      for (Matcher loaded = LOADED.matcher(text); loaded.find(); ) {
        String name = loaded.group(1);
        assertTrue(name.startsWith("page/") || name.startsWith("./"), path + " loads " + name);
        wanted.add(name.replaceFirst("^(page|\\.)/", "/page/"));
      }
    }
    assertTrue(seen.contains("/page/volume.js"), seen.toString());
  }

  /// A script may contain the variable `${service}`, so the service must not replace `{service}` in
  /// a script.
  @Test
  void putsTheNameOfTheServiceIntoTheIndexOnly() throws IOException {
    String name = ConfigProvider.getConfig().getValue("quarkus.application.name", String.class);
    given().get("/").then().body("html.head.title", equalTo(name));
    try (InputStream script = Pages.class.getResourceAsStream("/page/volume-status.js")) {
      assertArrayEquals(
          Objects.requireNonNull(script).readAllBytes(),
          given().get("/page/volume-status.js").asByteArray());
    }
  }

  @Test
  void sendsWhatIsUnchangedOnlyOnce() {
    String tag = given().get("/").then().extract().header("ETag");
    given().header("If-None-Match", tag).get("/").then().statusCode(304).body(emptyString());
    given().header("If-None-Match", "\"another\"").get("/").then().statusCode(200);
  }

  @Test
  void headDescribesTheAnswerOfGet() {
    int length = given().get("/page/style.css").asByteArray().length;
    given()
        .head("/page/style.css")
        .then()
        .statusCode(200)
        .header("Content-Length", equalTo(Integer.toString(length)))
        .body(emptyString());
  }

  /// The service serves only listed files, and only under their exact names.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/page/",
        "/page/other.js",
        "/page/status.html",
        "/page/../application.properties",
        "/page/%2e%2e/application.properties",
        "/page/..%2fapplication.properties",
        "/page/..%5capplication.properties",
        "/page//style.css",
        "/page/style.css/",
        "/page/./style.css",
        "/page/style%2ecss/../../volume",
        "/page/style.css%00",
        "/volume",
        "/page/../volume"
      })
  void opensNothingElse(String path) throws IOException {
    try (RawRequest raw = new RawRequest()) {
      raw.send("GET " + path + " HTTP/1.1", "Host: x", "Connection: close");
      String status = raw.head().getFirst();
      assertTrue(status.matches("HTTP/1.1 40[014] .*"), path + ": " + status);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE"})
  void isOnlyRead(String method) throws IOException {
    try (RawRequest raw = new RawRequest()) {
      raw.send(method + " / HTTP/1.1", "Host: x", "Content-Length: 0", "Connection: close");
      String status = raw.head().getFirst();
      assertTrue(status.matches("HTTP/1.1 40[15] .*"), method + ": " + status);
    }
  }

  @Test
  void theVolumeStaysLocked() {
    for (String path : new String[] {"/volume", "/volume/status", "/volume/status/failures"}) {
      assertEquals(401, given().get(path).statusCode(), path);
    }
  }
}
