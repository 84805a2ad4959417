package dev.pvcpopulators.registrystreamiscsi;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.registrystreamiscsi.fixture.DiskLayout;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests the service over HTTP with an image layout that tar, gzip and sha256sum create. The module
/// `it` tests the service with real initiators.
@QuarkusTest
@TestProfile(StreamServiceTest.OnALayout.class)
final class StreamServiceTest {
  private static final Path WORK = work();
  private static final int LOGIN_REQUEST = 0x43;
  private static final int LOGIN_RESPONSE = 0x23;

  /// The state TCP_LISTEN in Linux's tables of sockets.
  private static final String LISTEN = "0A";

  /// Configures one image and one empty directory.
  public static final class OnALayout implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of(
          "populator.target",
          WORK.resolve("cache").toString(),
          "registry-stream-iscsi.image",
          "oci:" + WORK.resolve("layout"),
          "registry-stream-iscsi.port",
          "0",
          "registry-stream-iscsi.bind",
          "127.0.0.1",
          "quarkus.http.test-port",
          "0");
    }
  }

  private static Path work() {
    try {
      Path work = Files.createTempDirectory("stream-service");
      Files.createDirectory(work.resolve("cache"));
      DiskLayout.makeOfDemo(work.resolve("layout"));
      return work;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void delete() throws IOException {
    given().delete("/volume").then().statusCode(204);
    for (String ours : List.of("images", "luns")) {
      Path directory = WORK.resolve("cache").resolve(ours);
      if (Files.exists(directory)) {
        try (Stream<Path> left = Files.list(directory)) {
          assertEquals(List.of(), left.toList());
        }
      }
    }
  }

  @Test
  void answersWithTheSchemaOfIscsiSources() {
    given()
        .put("/volume")
        .then()
        .statusCode(201)
        .contentType("application/yaml")
        .body(containsString("portal: iqn.2017-01.io.kubevirt:registry-stream-iscsi"))
        .body(containsString("name: 127.0.0.1"))
        .body(containsString("port: \""));
    given()
        .accept("application/json")
        .put("/volume")
        .then()
        .statusCode(200)
        .body("iscsi.lun", equalTo(0))
        .body("lun", equalTo(0));
  }

  @Test
  void theStatusListsLuns() {
    given().put("/volume").then().statusCode(201);
    given()
        .accept("application/json")
        .get("/volume/status")
        .then()
        .statusCode(200)
        .body("phase", equalTo("Ready"))
        .body("virtualSize", equalTo(64 << 20))
        .body("details.luns[0].image", startsWith("oci:"))
        .body("details.luns[0].bytes", equalTo(64 << 20))
        .body("details.luns[0].accessMode", equalTo("write-exclusive"))
        .body("parts[0].kind", equalTo("lun"))
        .body("parts[0].name", equalTo("0"))
        .body("parts[0].total", equalTo(64 << 20))
        .body("details.sessions", equalTo(0));
  }

  /// If a Login Request has no keys, a target sends a Login Response with status class 2, initiator
  /// error (RFC 7143, section 11.13).
  @Test
  void thePortalSpeaksIscsiUntilTheVolumeIsDeleted() throws IOException {
    JsonPath answer = given().accept("application/json").put("/volume").jsonPath();
    int port = Integer.parseInt(answer.getString("iscsi.host.port"));
    byte[] request = new byte[48];
    request[0] = LOGIN_REQUEST;
    request[1] = (byte) 0x87;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(request);
      byte[] response = socket.getInputStream().readNBytes(48);
      assertEquals(LOGIN_RESPONSE, response[0]);
      assertEquals(2, response[36]);
    }
    assertTrue(listens(port), "the portal listens");
    given().delete("/volume").then().statusCode(204);
    assertFalse(listens(port), "the portal still listens");
  }

  /// Returns true if this process listens on a port. A connection does not prove this: after the
  /// portal closes, another socket may get the port.
  private static boolean listens(int port) throws IOException {
    Set<String> listening = new HashSet<>();
    for (String name : List.of("tcp", "tcp6")) {
      Path table = Path.of("/proc/self/net", name);
      // Without IPv6, the kernel has no table `tcp6`.
      for (String line : Files.exists(table) ? Files.readAllLines(table) : List.<String>of()) {
        // Fields: number, local address and port, remote address and port, state, 5 others, inode.
        String[] fields = line.strip().split("\\s+", -1);
        if (fields[1].endsWith(":%04X".formatted(port)) && fields[3].equals(LISTEN)) {
          listening.add("socket:[" + fields[9] + "]");
        }
      }
    }
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.anyMatch(it -> listening.contains(target(it)));
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException _) {
      return ""; // another thread closed the descriptor
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "image: oci:/etc;named by REGISTRY_STREAM_ISCSI_IMAGE only",
        "accessMode: whatever;write-exclusive",
        "copyMode: whatever;copy-on-write",
        "format: vmdk;cannot be read while they arrive",
        "lun: 16384;0 to 16383",
        "lun: -1;0 to 16383",
        "initiators: not-a-name;iSCSI name",
        "initiators: 10.0.0.0/33;iSCSI name",
        "path: relative;absolute path",
        "chapUser: me;only the fields"
      })
  void refusesInvalidValues(String body, String reason) {
    given()
        .contentType("application/yaml")
        .body(body.getBytes(US_ASCII))
        .put("/volume")
        .then()
        .statusCode(400)
        .contentType("application/problem+json")
        .body("detail", containsString(reason));
  }

  @Test
  void aBodyAddsALunToTheExistingVolume() {
    given().put("/volume").then().statusCode(201);
    // A client may name the configured image, but no other file.
    String body = "image: oci:" + WORK.resolve("layout") + "\ncopyMode: copy-on-write\nlun: 7\n";
    for (int status : new int[] {201, 200}) {
      given()
          .contentType("application/yaml")
          .accept("application/json")
          .body(body.getBytes(US_ASCII))
          .put("/volume")
          .then()
          .statusCode(status)
          .body("iscsi.lun", equalTo(7));
    }
    given()
        .contentType("application/yaml")
        .body((body + "path: /disk/*.qcow2\n").getBytes(US_ASCII))
        .put("/volume")
        .then()
        .statusCode(409)
        .body("detail", containsString("LUN 7"));
    given()
        .accept("application/json")
        .get("/volume/status")
        .then()
        .body("details.luns.size()", equalTo(2))
        .body("details.luns[1].copyMode", equalTo("copy-on-write"))
        .body("parts.findAll { it.kind == 'lun' }.name", equalTo(List.of("0", "7")));
  }

  @Test
  void twoLunsDoNotWriteToOneImage() {
    given().put("/volume").then().statusCode(201);
    given()
        .contentType("application/yaml")
        .body(("image: oci:" + WORK.resolve("layout") + "\n").getBytes(US_ASCII))
        .put("/volume")
        .then()
        .statusCode(400)
        .body("detail", containsString("another LUN writes to the same image"));
  }

  /// The layer does not match its digest. The service exports the LUN before it detects the
  /// mismatch, and then the LUN fails.
  @ParameterizedTest
  @ValueSource(strings = {"", "image: %s\ncopyMode: copy-on-write\nlun: 7\n"})
  void aPutForAFailedLunStartsANewPull(String yaml) throws IOException, InterruptedException {
    int lun = yaml.isEmpty() ? 0 : 7;
    byte[] body = yaml.formatted("oci:" + WORK.resolve("layout")).getBytes(US_ASCII);
    Path layer;
    try (Stream<Path> blobs = Files.list(WORK.resolve("layout/blobs/sha256"))) {
      layer = blobs.max(Comparator.comparingLong(it -> it.toFile().length())).orElseThrow();
    }
    byte[] genuine = Files.readAllBytes(layer);
    byte[] other = genuine.clone();
    other[other.length - 6] ^= 1;
    try {
      Files.write(layer, other);
      assertEquals(201, put(body));
      awaitState(lun, "failed");
      awaitFailure("LUN " + lun + ": ");
    } finally {
      Files.write(layer, genuine);
    }
    assertTrue(put(body) < 300);
    awaitState(lun, "complete");
  }

  /// The decoder fails before the service checks the digest of the layer. The service must report
  /// the digest mismatch, not the error of the decoder.
  @Test
  void aLayerDamagedInTransitIsNoMalformedImage() throws IOException {
    Path layer;
    try (Stream<Path> blobs = Files.list(WORK.resolve("layout/blobs/sha256"))) {
      layer = blobs.max(Comparator.comparingLong(it -> it.toFile().length())).orElseThrow();
    }
    byte[] genuine = Files.readAllBytes(layer);
    byte[] damaged = genuine.clone();
    // Changes the first byte after the gzip header of 10 bytes.
    damaged[10] ^= 0x7;
    try {
      Files.write(layer, damaged);
      given()
          .put("/volume")
          .then()
          .statusCode(422)
          .body("type", containsString("digest-mismatch"))
          .body("detail", containsString("content whose digest is"));
    } finally {
      Files.write(layer, genuine);
    }
  }

  private static int put(byte[] body) {
    return given().contentType("application/yaml").body(body).put("/volume").statusCode();
  }

  /// Waits until the list of failures contains a digest mismatch.
  ///
  /// @param detail the beginning of the detail of the failure
  private static void awaitFailure(String detail) {
    Instant end = Instant.now().plus(Duration.ofMinutes(5));
    List<String> found = List.of();
    while (found.stream().noneMatch(it -> it.startsWith(detail))) {
      assertTrue(Instant.now().isBefore(end), found.toString());
      found =
          given()
              .get("/volume/status/failures")
              .jsonPath()
              .getList("findAll { it.type.contains('digest-mismatch') }.detail");
    }
  }

  private static void awaitState(int lun, String state) throws InterruptedException {
    Instant end = Instant.now().plus(Duration.ofMinutes(5));
    String found = "";
    while (Instant.now().isBefore(end)) {
      found =
          given()
              .accept("application/json")
              .get("/volume/status")
              .jsonPath()
              .getString("details.luns.find { it.lun == " + lun + " }.state");
      if (state.equals(found)) {
        return;
      }
      Thread.sleep(50);
    }
    throw new AssertionError("expected LUN " + lun + " " + state + ", found " + found);
  }

  @Test
  void metricsCountLuns() throws InterruptedException {
    given().put("/volume").then().statusCode(201);
    awaitState(0, "complete");
    given().get("/q/metrics").then().body(containsString("iscsi_luns{state=\"complete\"} 1.0"));
  }
}
