package dev.pvcpopulators.imagetoqcow2layers;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the service over HTTP, with an image layout made by tar, gzip and sha256sum.
@QuarkusTest
@TestProfile(LayersServiceTest.OnALayout.class)
final class LayersServiceTest {
  private static final Path WORK = work();
  private static final Path STORE = WORK.resolve("volume");
  private static final Path MACHINE = STORE.resolve("images/layout");

  /// Configures one image, and an empty directory as the volume.
  public static final class OnALayout implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of(
          "populator.target",
          STORE.toString(),
          "populator.claim-name",
          "some-claim",
          "image-to-qcow2-layers.image",
          "oci:" + WORK.resolve("layout"),
          "image-to-qcow2-layers.flatten",
          "true",
          "image-to-qcow2-layers.environment",
          "DOLLARS=$$${HOME}$${NOWHERE}\\${x}",
          "quarkus.http.test-port",
          "0");
    }
  }

  private static Path work() {
    try {
      Path work = Files.createTempDirectory("layers-service");
      Files.createDirectory(work.resolve("volume"));
      Path tree = work.resolve("tree");
      Path etc = Files.createDirectories(tree.resolve("etc"));
      Files.writeString(etc.resolve("hostname"), "somewhere\n");
      run("tar", "-C", tree.toString(), "-cf", work.resolve("1.tar").toString(), ".");
      Files.delete(etc.resolve("hostname"));
      Files.writeString(etc.resolve(".wh.hostname"), "");
      run("tar", "-C", tree.toString(), "-cf", work.resolve("2.tar").toString(), ".");
      run(
          Path.of("").toAbsolutePath().resolveSibling("it").resolve("oci-image.sh").toString(),
          work.resolve("layout").toString(),
          "{\"Cmd\":[\"/bin/true\"]}",
          work.resolve("1.tar").toString(),
          work.resolve("2.tar").toString());
      return work;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void run(String... command) throws IOException, InterruptedException {
    assertEquals(
        0, new ProcessBuilder(command).inheritIO().start().waitFor(), String.join(" ", command));
  }

  private static List<String> layers() throws IOException {
    Path directory = STORE.resolve("layers");
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".qcow2") && !name.startsWith("."))
          .toList();
    }
  }

  @AfterEach
  void delete() throws IOException {
    given().delete("/volume").then().statusCode(204);
    assertFalse(Files.exists(MACHINE));
    assertFalse(Files.exists(STORE.resolve("disk.img")));
    assertEquals(List.of(), layers());
  }

  @Test
  void makesTheVolumeOutOfTheConfiguredImage() throws IOException {
    given()
        .put("/volume")
        .then()
        .statusCode(201)
        .contentType("application/yaml")
        .body(containsString("claimname: some-claim"));
    assertEquals(2, layers().size());
    assertTrue(Files.exists(MACHINE.resolve("disk.qcow2")));
    String json = Files.readString(MACHINE.resolve("vm.json"));
    assertTrue(json.contains("\"DOLLARS=$$${HOME}$${NOWHERE}\\\\${x}\""), json);
    assertTrue(Files.exists(STORE.resolve("disk.img")));
    given().put("/volume").then().statusCode(200);
    given()
        .accept("application/json")
        .get("/volume/status")
        .then()
        .body("phase", equalTo("Ready"))
        .body("sourceDigest", notNullValue())
        .body("details.layers", equalTo(2))
        .body("details.sharedLayers", equalTo(0))
        .body("parts.kind", equalTo(List.of("layer", "layer")))
        .body("parts.state", equalTo(List.of("done", "done")))
        .body("parts.every { it.done == it.total }", equalTo(true));
  }

  @Test
  void aRequestSetsTheMachineAndItsProcess() throws IOException {
    given()
        .contentType("application/json")
        .body(
            """
            {"name": "layout", "size": "64M", "command": "[\\"/bin/echo\\", \\"two words\\"]"}
            """)
        .put("/volume")
        .then()
        .statusCode(201);
    assertTrue(Files.readString(MACHINE.resolve("vm.json")).contains("two words"));
    assertTrue(
        layers().stream().allMatch(name -> name.endsWith("-64m.qcow2")), layers().toString());
  }

  @ParameterizedTest
  @CsvSource({
    "size, 10X, optionally with K",
    "size, 1K, multiple of 1 MiB",
    "size, 9T, at most 8T",
    "name, ../up, DNS label",
    "name, '', DNS label",
    "dataSize, 0, multiple of 1 MiB",
    "environment, '[1]', JSON list of texts",
    "image, oci:/etc, an image in a registry",
    "platform, a, OS/ARCH"
  })
  void refusesFieldsThatAreWrong(String field, String value, String expected) {
    given()
        .contentType("application/json")
        .body(Map.of(field, value))
        .put("/volume")
        .then()
        .statusCode(400)
        .contentType("application/problem+json")
        .body("detail", containsString(expected));
  }

  @Test
  void refusesAFlattenedDiskThatDoesNotFitAtOnce() throws IOException {
    given()
        .contentType("application/json")
        .body(Map.of("size", "8000G"))
        .put("/volume")
        .then()
        .statusCode(413)
        .body("detail", containsString("IMAGE_TO_QCOW2_LAYERS_SIZE"));
    assertEquals(List.of(), layers());
  }

  /// The image has no entrypoint, and the request replaces the image's command by an empty list.
  /// The service can refuse the request before it reads a layer.
  @Test
  void refusesAMachineWithoutAProgramBeforeItConvertsLayers() throws IOException {
    given()
        .contentType("application/json")
        .body(Map.of("command", "[]"))
        .put("/volume")
        .then()
        .statusCode(422)
        .body("detail", containsString("neither an entrypoint nor a command"));
    assertEquals(List.of(), layers());
  }

  @Test
  void tellsThatTheImageHasNoSuchUser() {
    given()
        .contentType("application/json")
        .body(Map.of("user", "nobody-knows"))
        .put("/volume")
        .then()
        .statusCode(422)
        .body("detail", containsString("nobody-knows"));
  }
}
