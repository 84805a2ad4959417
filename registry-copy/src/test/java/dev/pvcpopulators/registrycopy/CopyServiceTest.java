package dev.pvcpopulators.registrycopy;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.notNullValue;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the service over HTTP with an image layout that tar, gzip and sha256sum create.
@QuarkusTest
@TestProfile(CopyServiceTest.OnALayout.class)
final class CopyServiceTest {
  private static final Path WORK = work();
  private static final Path DISK = WORK.resolve("volume/disk.img");

  /// Configures one image and one empty directory.
  public static final class OnALayout implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of(
          "populator.target",
          WORK.resolve("volume").toString(),
          "populator.claim-name",
          "some-claim",
          "registry-copy.image",
          "oci:" + WORK.resolve("layout"),
          "quarkus.http.test-port",
          "0");
    }
  }

  private static Path work() {
    try {
      Path work = Files.createTempDirectory("copy-service");
      Files.createDirectory(work.resolve("volume"));
      Path it = Path.of("").toAbsolutePath().resolveSibling("it");
      Process made =
          new ProcessBuilder(
                  it.resolve("oci-layout.sh").toString(),
                  it.resolve("fixtures/demo.qcow2").toString(),
                  work.resolve("layout").toString())
              .inheritIO()
              .start();
      assertEquals(0, made.waitFor(), "it/oci-layout.sh");
      return work;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void delete() {
    given().delete("/volume").then().statusCode(204);
    assertFalse(Files.exists(DISK));
  }

  @Test
  void makesTheVolumeOutOfTheConfiguredImage() {
    given()
        .put("/volume")
        .then()
        .statusCode(201)
        .contentType("application/yaml")
        .body(containsString("claimname: some-claim"));
    assertTrue(Files.exists(DISK));
    given().put("/volume").then().statusCode(200);
    given()
        .accept("application/json")
        .get("/volume/status")
        .then()
        .body("phase", equalTo("Ready"))
        .body("format", equalTo("qcow2"))
        .body("details.path", equalTo("/disk/demo.qcow2"))
        .body("details.skipped", equalTo(false))
        .body("details.layer", notNullValue())
        .body("sourceDigest", containsString("sha256:"))
        .body("parts.size()", equalTo(1))
        .body("parts[0].kind", equalTo("layer"))
        .body("parts[0].name", containsString("sha256:"))
        .body("parts[0].state", equalTo("done"))
        .body("parts[0].done", greaterThan(0))
        .body("parts[0].total", greaterThan(0));
  }

  @ParameterizedTest
  @CsvSource({
    "image: oci:/etc, 400",
    "image: docker-archive:/etc/passwd, 400",
    "image: localhost/UPPER, 400",
    "image: 7, 400",
    "size: 7, 400",
    "platform: linux, 400",
    "path: ../x, 400",
    "format: iso9, 400",
    "format: vmdk, 422",
    "path: /disk/other.qcow2, 422",
    "platform: linux/s390x, 422"
  })
  void refusesUnsupportedRequests(String field, int status) {
    given()
        .contentType("application/yaml")
        .body(field.getBytes(UTF_8))
        .put("/volume")
        .then()
        .statusCode(status)
        .contentType("application/problem+json")
        .body("status", equalTo(status));
    assertFalse(Files.exists(DISK));
  }

  @Test
  void aLayerThatCannotBeUnderstoodHasFailed() {
    given()
        .contentType("application/json")
        .body("{\"format\":\"vmdk\"}")
        .put("/volume")
        .then()
        .statusCode(422);
    given()
        .accept("application/json")
        .get("/volume/status")
        .then()
        .body("phase", equalTo("Failed"))
        .body("parts[0].state", equalTo("failed"));
  }

  @Test
  void namesTheFoundEntries() {
    given()
        .contentType("application/json")
        .body("{\"path\":\"/disk/other.qcow2\"}")
        .put("/volume")
        .then()
        .statusCode(422)
        .body("detail", containsString("demo.qcow2"));
  }
}
