package dev.pvcpopulators.httpcopy;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.file.Checksum;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests that the volume contains either the right bytes or nothing. Scripted servers send the
/// bytes.
@QuarkusTest
@TestProfile(HttpCopyServiceTest.WithServers.class)
final class HttpCopyServiceTest {
  private static final Path WORK = work();
  private static final Path DISK = WORK.resolve("volume/disk.img");
  private static final ScriptedServer SERVER = new ScriptedServer();
  private static final ScriptedServer OTHER = new ScriptedServer();
  private static final byte[] CONTENT = random(1 << 20, 1);
  private static final byte[] SECOND = random(1 << 20, 2);
  private static final String TAG = "\"one\"";

  /// Settings that allow `SERVER` and `OTHER`, and that contain credentials for one directory of
  /// `SERVER`.
  public static final class WithServers implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.ofEntries(
          Map.entry("populator.target", WORK.resolve("volume").toString()),
          Map.entry("populator.claim-name", "some-claim"),
          Map.entry("http-copy.url", SERVER.url("/a/disk.img?signature=s3cret")),
          Map.entry("http-copy.headers-file", WORK.resolve("headers").toString()),
          Map.entry("http-copy.token-file", WORK.resolve("token").toString()),
          Map.entry("http-copy.retries", "2"),
          Map.entry("http-copy.allowed-hosts", SERVER.authority() + "," + OTHER.authority()),
          Map.entry("http-copy.insecure-hosts", SERVER.authority() + "," + OTHER.authority()),
          Map.entry("quarkus.http.test-port", "0"));
    }
  }

  private static Path work() {
    try {
      Path work = Files.createTempDirectory("http-copy");
      Files.createDirectory(work.resolve("volume"));
      Files.writeString(work.resolve("headers"), "X-Key: s3cret\n");
      Files.writeString(work.resolve("token"), "s3cret\n");
      return work;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] content) {
    return Checksum.of(Checksum.Algorithm.SHA256, content).hex();
  }

  private static String sha512(byte[] content) {
    return Checksum.of(Checksum.Algorithm.SHA512, content).hex();
  }

  @BeforeEach
  void serve() {
    SERVER.plays((request, out) -> ScriptedServer.file(request, out, CONTENT, TAG, CONTENT.length));
    OTHER.plays((request, out) -> ScriptedServer.file(request, out, SECOND, TAG, SECOND.length));
  }

  @AfterEach
  void delete() throws IOException {
    given().delete("/volume").then().statusCode(204);
    try (Stream<Path> left = Files.list(WORK.resolve("volume"))) {
      assertEquals(List.of(), left.toList());
    }
  }

  @AfterAll
  static void close() throws IOException {
    SERVER.close();
    OTHER.close();
  }

  /// Sends `PUT /volume`.
  ///
  /// @param body the body in YAML; empty for a request without a body
  private static ValidatableResponse put(String body) {
    return body.isEmpty()
        ? given().put("/volume").then()
        : given().contentType("application/yaml").body(body.getBytes(UTF_8)).put("/volume").then();
  }

  private static ValidatableResponse status() {
    return given().accept("application/json").get("/volume/status").then();
  }

  private static void refused(String body, int status, String type, String detail) {
    put(body)
        .statusCode(status)
        .contentType("application/problem+json")
        .body("type", equalTo("urn:pvc-populators:problem:" + type))
        .body("detail", containsString(detail))
        .body("detail", not(containsString("s3cret")));
    assertFalse(Files.exists(DISK));
  }

  private static void made(byte[] content) throws IOException {
    assertArrayEquals(content, Files.readAllBytes(DISK));
  }

  private static String url(String path) {
    return "url: " + SERVER.url(path) + "\n";
  }

  @Test
  void makesTheVolumeFromTheConfiguredUrl() throws IOException {
    put("").statusCode(201).body(containsString("claimname: some-claim"));
    made(CONTENT);
    put("").statusCode(200);
    status()
        .body("phase", equalTo("Ready"))
        .body("format", equalTo("raw"))
        .body("sourceDigest", equalTo("sha256:" + sha256(CONTENT)))
        .body("bytesIn", equalTo(CONTENT.length))
        .body("details.url", equalTo(SERVER.url("/a/disk.img")))
        .body("details.ranges", equalTo("bytes"))
        .body("details.resumes", equalTo(true))
        .body("details.skipped", equalTo(false));
    assertEquals(1, SERVER.requests().size());
    assertEquals("/a/disk.img?signature=s3cret", SERVER.requests().getFirst().path());
    assertEquals("Bearer s3cret", SERVER.requests().getFirst().header("authorization"));
    assertEquals("s3cret", SERVER.requests().getFirst().header("x-key"));
  }

  @Test
  void resumesAfterTenRandomCuts() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    AtomicInteger cuts = new AtomicInteger();
    SERVER.plays((request, out) -> {
      int most = Math.max(2, (CONTENT.length - request.offset()) / 5);
      int end = request.offset() + 1 + random.nextInt(most);
      boolean cut = cuts.incrementAndGet() <= 10;
      ScriptedServer.file(request, out, CONTENT, TAG, cut ? end : CONTENT.length);
    });
    put("").statusCode(201);
    assertTrue(SERVER.requests().size() > 10, () -> "seed " + seed);
    made(CONTENT);
    status().body("bytesIn", equalTo(CONTENT.length));
  }

  @Test
  void restartsWithoutRanges() throws IOException {
    AtomicInteger requests = new AtomicInteger();
    SERVER.plays((_, out) -> {
      ScriptedServer.head(out, 200, "Content-Length: " + CONTENT.length, "ETag: " + TAG);
      // In each of the first three responses, the server sends only a part of the body.
      out.write(CONTENT, 0, requests.incrementAndGet() <= 3 ? 300_000 : CONTENT.length);
    });
    put("").statusCode(201);
    made(CONTENT);
    status()
        .body("details.restarts", equalTo(2))
        .body("details.ranges", equalTo("unknown"))
        .body("bytesIn", equalTo(CONTENT.length));
  }

  @Test
  void givesUpAfterItsRetries() {
    SERVER.plays((_, out) -> {
      ScriptedServer.head(out, 200, "Content-Length: " + CONTENT.length);
      out.write(CONTENT, 0, 300_000);
    });
    refused("", 502, "source-unavailable", "gave up after 3 attempts from its first byte on");
  }

  @Test
  void takesTheFileThatReplacesAnotherAsAWhole() throws IOException {
    SERVER.plays((request, out) -> {
      boolean first = SERVER.requests().size() == 1;
      ScriptedServer.file(
          request,
          out,
          first ? CONTENT : SECOND,
          first ? TAG : "\"two\"",
          first ? 500_000 : SECOND.length);
    });
    put("").statusCode(201);
    made(SECOND);
    status().body("details.restarts", equalTo(1));
  }

  @Test
  void refusesAnotherChecksum() {
    refused("sha256: " + sha256(SECOND), 422, "digest-mismatch", "expected sha256:");
    refused("sha512: " + sha512(SECOND), 422, "digest-mismatch", "expected sha512:");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SHA256SUMS", "SHA512SUMS", "CHECKSUM"})
  void findsTheChecksumInAFile(String name) throws IOException {
    String list =
        switch (name) {
          case "SHA256SUMS" -> sha256(SECOND) + " *other.img\n" + sha256(CONTENT) + " *disk.img\n";
          case "SHA512SUMS" -> sha512(SECOND) + "  other.img\n" + sha512(CONTENT) + "  disk.img\n";
          default ->
              "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n# disk.img: 1048576 bytes\n"
                  + "SHA256 (disk.img) = "
                  + sha256(CONTENT)
                  + "\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n";
        };
    SERVER.plays((request, out) -> {
      if (request.path().endsWith(name)) {
        ScriptedServer.whole(out, list.getBytes(UTF_8));
      } else {
        byte[] content = request.path().contains("old") ? SECOND : CONTENT;
        ScriptedServer.file(request, out, content, TAG, content.length);
      }
    });
    String checksums = "checksumsUrl: " + SERVER.url("/a/" + name) + "\n";
    refused(url("/a/old/disk.img") + checksums, 422, "digest-mismatch", "expected sha");
    refused(url("/a/new.img") + checksums, 422, "digest-mismatch", "found none");
    put(url("/a/disk.img?signature=s3cret") + checksums).statusCode(201);
    made(CONTENT);
  }

  @ParameterizedTest
  @CsvSource({
    "404, 404, source-not-found",
    "410, 404, source-not-found",
    "401, 403, source-denied",
    "403, 403, source-denied",
    "418, 502, source-unavailable",
    "500, 502, source-unavailable"
  })
  void reportsAnswersOfTheServer(int status, int answer, String type) {
    SERVER.plays(
        (_, out) -> ScriptedServer.head(out, status, "Content-Length: 0", "Retry-After: 0"));
    refused("", answer, type, "HTTP " + status);
  }

  @Test
  void comesAgainWhenItIsAskedTo() throws IOException {
    SERVER.plays((request, out) -> {
      if (SERVER.requests().size() <= 2) {
        ScriptedServer.head(out, 429, "Content-Length: 0", "Retry-After: 0");
      } else {
        ScriptedServer.file(request, out, CONTENT, TAG, CONTENT.length);
      }
    });
    put("").statusCode(201);
    made(CONTENT);
  }

  /// Bytes after the announced length do not belong to the response.
  @Test
  void takesNoMoreThanWasAnnounced() throws IOException {
    SERVER.plays((request, out) -> {
      ScriptedServer.head(out, 200, "ETag: " + TAG, "Content-Length: 524288");
      out.write(CONTENT);
    });
    refused("sha256: " + sha256(CONTENT), 422, "digest-mismatch", "expected sha256:");
    put("").statusCode(201);
    status().body("virtualSize", equalTo(524_288));
  }

  @Test
  void takesNoLessThanWasAnnounced() {
    SERVER.plays((request, out) -> {
      if (request.offset() > 0) {
        ScriptedServer.head(out, 416, "Content-Length: 0");
      } else {
        ScriptedServer.head(out, 200, "ETag: " + TAG, "Content-Length: " + (CONTENT.length + 512));
        out.write(CONTENT);
      }
    });
    refused("", 502, "source-unavailable", "not support ranges");
  }

  @Test
  void needsALengthOrAChecksum() throws IOException {
    SERVER.plays((_, out) -> {
      ScriptedServer.head(out, 200);
      out.write(CONTENT);
    });
    refused("", 502, "source-unavailable", "give a checksum");
    put("sha256: " + sha256(CONTENT)).statusCode(201);
    made(CONTENT);
  }

  @Test
  void refusesAPage() throws IOException {
    byte[] page = "<html>Log in</html>".getBytes(UTF_8);
    SERVER.plays((_, out) -> ScriptedServer.whole(out, page, "Content-Type: text/html; x=y"));
    refused("", 422, "unsupported-source", "text/html");
  }

  @Test
  void showsTheCredentialsToNoOtherHost() throws IOException {
    SERVER.plays((_, out) ->
        ScriptedServer.head(out, 302, "Location: " + OTHER.url("/signed"), "Content-Length: 0"));
    put("").statusCode(201);
    made(SECOND);
    assertEquals("Bearer s3cret", SERVER.requests().getFirst().header("authorization"));
    assertEquals("", OTHER.requests().getFirst().header("authorization"));
    assertEquals("", OTHER.requests().getFirst().header("x-key"));
  }

  /// The credentials are for one directory of a server, because another directory may belong to
  /// another tenant.
  @Test
  void showsTheCredentialsToNoOtherDirectory() throws IOException {
    SERVER.plays((request, out) -> {
      if (request.path().equals("/a/moved.img")) {
        ScriptedServer.head(out, 302, "Location: /b/disk.img", "Content-Length: 0");
      } else if (request.path().equals("/b/disk.img") && SERVER.requests().size() == 2) {
        ScriptedServer.head(out, 302, "Location: /a/back.img", "Content-Length: 0");
      } else {
        ScriptedServer.file(request, out, CONTENT, TAG, CONTENT.length);
      }
    });
    put(url("/a/moved.img")).statusCode(201);
    made(CONTENT);
    assertEquals(
        List.of("Bearer s3cret", "", ""),
        SERVER.requests().stream().map(it -> it.header("authorization")).toList());
    for (String path : List.of("/b/disk.img", "/a/../b/disk.img", "/a/%2e%2e/b/disk.img")) {
      given().delete("/volume").then().statusCode(204);
      SERVER.plays(
          (request, out) -> ScriptedServer.file(request, out, CONTENT, TAG, CONTENT.length));
      put(url(path)).statusCode(201);
      assertEquals("", SERVER.requests().getFirst().header("authorization"), path);
      assertEquals("", SERVER.requests().getFirst().header("x-key"), path);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://169.254.169.254/latest/meta-data",
        "https://127.0.0.1/disk.img",
        "https://[::1]/disk.img",
        "https://images.example/disk.img",
        "http://images.example/disk.img"
      })
  void asksNoHostThatIsNotListed(String url) {
    refused("url: " + url, 403, "source-denied", "HTTP_COPY_ALLOWED_HOSTS");
    refused("checksumsUrl: " + url, 403, "source-denied", "HTTP_COPY_ALLOWED_HOSTS");
    assertEquals(List.of(), SERVER.requests());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "url: disk.img",
        "url: file:///etc/passwd",
        "url: https://user:s3cret@images.example/disk.img",
        "url: 7",
        "sha256: 12",
        "sha512: zz",
        "format: iso9",
        "checksumsUrl: ftp://images.example/SUMS",
        "image: x"
      })
  void refusesAFieldThatIsNotValid(String body) {
    put(body).statusCode(400).body("detail", not(containsString("s3cret")));
    assertEquals(List.of(), SERVER.requests());
  }

  @Test
  void takesOneChecksumOnly() {
    put("sha256: " + sha256(CONTENT) + "\nsha512: " + sha512(CONTENT)).statusCode(400);
  }

  @Test
  void leavesNothingOfADamagedDisk() throws IOException {
    byte[] qcow2 =
        Files.readAllBytes(Path.of("").toAbsolutePath().resolveSibling("it/fixtures/demo.qcow2"));
    qcow2[qcow2.length / 2] ^= 1;
    qcow2[8] = 9;
    SERVER.plays((request, out) -> ScriptedServer.file(request, out, qcow2, TAG, qcow2.length));
    put("").statusCode(422);
    assertFalse(Files.exists(DISK));
  }
}
