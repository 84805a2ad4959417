package dev.pvcpopulators.httpupload;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.httpupload.RawConnection.Answer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tests uploads with the token in the field `X-Populator-Token`. The API server's proxies forward
/// this field.
@QuarkusTest
@TestProfile(UploadTokenTest.Closed.class)
@Timeout(1200)
class UploadTokenTest {
  private static final Path VOLUME = temporaryDirectory();
  private static final String FIELD = "X-Populator-Token";
  private static final String TOKEN = "the-token-of-this-test";

  private final byte[] disk = new byte[3 << 20];

  UploadTokenTest() {
    new Random(5).nextBytes(disk);
  }

  /// Configures a service with a token.
  public static final class Closed implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of(
          "populator.target",
          VOLUME.toString(),
          "populator.claim-name",
          "test",
          "populator.token",
          TOKEN,
          "quarkus.http.host",
          "localhost",
          "quarkus.http.test-port",
          "0");
    }
  }

  private static Path temporaryDirectory() {
    try {
      return Files.createTempDirectory("upload-token");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theTokenOpensEveryRequestOfAnUpload() throws IOException {
    given()
        .header(FIELD, TOKEN)
        .header("Upload-Complete", "?0")
        .body(disk)
        .put("/upload")
        .then()
        .statusCode(204);
    assertEquals(
        Integer.toString(disk.length),
        given().header(FIELD, TOKEN).head("/upload").header("Upload-Offset"));
    given()
        .header(FIELD, TOKEN)
        .header("Upload-Offset", disk.length)
        .header("Upload-Complete", "?1")
        .patch("/upload")
        .then()
        .statusCode(201);
    assertArrayEquals(disk, Files.readAllBytes(VOLUME.resolve("disk.img")));
    given().header(FIELD, TOKEN).delete("/volume").then().statusCode(204);
  }

  @Test
  void anotherTokenIsRefusedBeforeTheBody() throws IOException {
    assertEquals(401, refused(FIELD + ": " + TOKEN + "x").status());
    Answer contradiction =
        refused(FIELD + ": " + TOKEN, "Authorization: Bearer another-token-of-this-test");
    assertEquals(400, contradiction.status());
    given()
        .header(FIELD, TOKEN)
        .header("Authorization", "Basic " + TOKEN)
        .get("/volume/status")
        .then()
        .statusCode(400)
        .body("detail", containsString("expected one token"));
  }

  private static Answer refused(String... fields) throws IOException {
    String[] lines = new String[fields.length + 4];
    lines[0] = "PUT /upload HTTP/1.1";
    lines[1] = "Host: localhost";
    lines[2] = "Content-Length: 10737418240";
    lines[3] = "Expect: 100-continue";
    System.arraycopy(fields, 0, lines, 4, fields.length);
    try (RawConnection connection = new RawConnection().head(lines)) {
      return connection.answer();
    }
  }
}
