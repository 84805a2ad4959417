package dev.pvcpopulators.images;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Builds an image, and checks the image with skopeo and umoci.
@Tag("tools")
class BuildImagesTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String NAME = Fixture.SERVICE;

  @TempDir static Path directory;

  private static Fixture fixture = new Fixture(Path.of(""), Path.of(""));
  private static Path output = Path.of("");

  @BeforeAll
  static void build() throws Exception {
    fixture = Fixture.make(directory);
    output = directory.resolve("out");
    assertEquals(0, BuildImages.run(words(output, "--revision", "0123abc")));
  }

  @Test
  void configuresTheContainerRuntime() throws Exception {
    JsonNode config = inspect("--config", archive(output)).get("config");
    assertEquals("107:107", config.get("User").asText());
    assertEquals("/app", config.get("WorkingDir").asText());
    assertEquals(
        List.of("java", "@/app/java.args", "-jar", "quarkus-run.jar"),
        strings(config, "Entrypoint"));
    assertEquals(List.of("LANG=C.UTF-8", "MALLOC_ARENA_MAX=2"), strings(config, "Env"));
    assertEquals(
        List.of("3260/tcp", "8080/tcp", "8443/tcp"),
        config.get("ExposedPorts").propertyStream().map(port -> port.getKey()).sorted().toList());
  }

  @Test
  void describesItselfToPeople() throws Exception {
    JsonNode labels = inspect(archive(output)).get("Labels");
    String prefix = "org.opencontainers.image.";
    assertEquals("pvc-populators " + NAME, labels.get(prefix + "title").asText());
    assertEquals("1.2", labels.get(prefix + "version").asText());
    assertEquals("0123abc", labels.get(prefix + "revision").asText());
    assertEquals("Apache-2.0", labels.get(prefix + "licenses").asText());
    assertTrue(labels.get(prefix + "description").asText().contains("iSCSI"), labels::toString);
  }

  @Test
  void putsTheServiceOntoTheBaseWithTheTimesThatTheCacheWasMadeWith() throws Exception {
    String layout = directory.resolve("unpacked").toString();
    Command.run("skopeo", "copy", archive(output), "oci:" + layout + ":it");
    Path bundle = directory.resolve("bundle");
    Command.run("umoci", "unpack", "--rootless", "--image", layout + ":it", bundle.toString());
    Path root = bundle.resolve("rootfs");
    assertEquals("12.12\n", Files.readString(root.resolve("etc/debian_version")));
    Path application = fixture.staged().resolve(NAME).resolve("app");
    List<Path> files;
    try (var walk = Files.walk(application)) {
      files = walk.filter(Files::isRegularFile).map(application::relativize).toList();
    }
    for (Path file : files) {
      Path unpacked = root.resolve("app").resolve(file);
      assertEquals(Files.readString(application.resolve(file)), Files.readString(unpacked));
      assertEquals(FileTime.fromMillis(1000), Files.getLastModifiedTime(unpacked), file::toString);
    }
  }

  @Test
  void makesTheSameImageOfTheSameInputs() throws Exception {
    Path again = directory.resolve("again");
    for (Path file : List.of(Path.of("quarkus-run.jar"), Path.of("app.aot"))) {
      Path staged = fixture.staged().resolve(NAME).resolve("app").resolve(file);
      Files.setLastModifiedTime(staged, FileTime.fromMillis(System.currentTimeMillis()));
    }
    assertEquals(0, BuildImages.run(words(again, "--revision", "0123abc")));
    assertEquals(digest(archive(output)), digest(archive(again)));
    assertEquals(-1, Files.mismatch(tar(output), tar(again)));
  }

  @Test
  void detectsAChangeWithEqualTimes() throws Exception {
    Path file = fixture.staged().resolve(NAME).resolve("app/lib/main/other.jar");
    FileTime time = Files.getLastModifiedTime(file);
    String before = Files.readString(file);
    Files.writeString(file, before.replace('o', 'O'));
    Files.setLastModifiedTime(file, time);
    Path changed = directory.resolve("out");
    try {
      String digest = digest(archive(output));
      assertEquals(0, BuildImages.run(words(changed, "--revision", "0123abc")));
      assertNotEquals(digest, digest(archive(changed)));
    } finally {
      Files.writeString(file, before);
      assertEquals(0, BuildImages.run(words(changed, "--revision", "0123abc")));
    }
  }

  @Test
  void pushesTheContentOfTheArchive() throws Exception {
    Path data = Files.createDirectories(directory.resolve("registry"));
    try (RealRegistry registry = RealRegistry.open(data)) {
      Path pushed = directory.resolve("pushed");
      String prefix = registry.authority() + "/disks";
      assertEquals(
          0,
          BuildImages.run(words(pushed, "--revision", "0123abc", "--push", prefix, "--insecure")));
      String remote = "docker://" + prefix + "/" + NAME + ":1.2";
      JsonNode there = inspect("--tls-verify=false", remote);
      assertEquals(inspect(archive(output)).get("Labels"), there.get("Labels"));
      assertEquals(
          inspect("--config", archive(output)).get("rootfs"),
          inspect("--tls-verify=false", "--config", remote).get("rootfs"));
    }
  }

  @Test
  void takesCredentialsFromDockersConfiguration() throws Exception {
    Path data = Files.createDirectories(directory.resolve("closed"));
    String home = System.getProperty("user.home");
    try (RealRegistry registry = RealRegistry.closed(data)) {
      System.setProperty("user.home", data.toString());
      List<String> words = words(data.resolve("out"), "--insecure", "--push", registry.authority());
      Said refused = failing(words);
      assertEquals(77, refused.status, refused.words);
      Command.run(
          "skopeo",
          "login",
          "--tls-verify=false",
          "-u",
          "somebody",
          "-p",
          "secret",
          "--authfile",
          data.resolve(".docker/config.json").toString(),
          registry.authority());
      assertEquals(0, BuildImages.run(words));
    } finally {
      System.setProperty("user.home", home);
    }
  }

  @Test
  void saysWhichInputIsMissing() {
    List<String> words = new ArrayList<>(words(directory.resolve("none")));
    words.set(words.indexOf(NAME), "other");
    Said said = failing(words);
    assertEquals(66, said.status);
    assertTrue(said.words.contains("base-qemu.tar is not there"), said.words);
  }

  @Test
  void explainsItself() {
    assertEquals(0, BuildImages.run(List.of("--help")));
    Said said = failing(List.of("--base"));
    assertEquals(64, said.status);
    assertTrue(said.words.contains("usage: "), said.words);
  }

  private record Said(int status, String words) {}

  private static Said failing(List<String> words) {
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, UTF_8));
    try {
      return new Said(BuildImages.run(words), said.toString(UTF_8));
    } finally {
      System.setErr(before);
    }
  }

  private static List<String> words(Path output, String... more) {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("--base", fixture.base().toString(), "--version", "1.2"));
    words.addAll(List.of("--staged", fixture.staged().toString(), "--output", output.toString()));
    words.add(NAME);
    words.addAll(List.of(more));
    return words;
  }

  private static Path tar(Path output) {
    return output.resolve(NAME + ".tar");
  }

  private static String archive(Path output) {
    return "docker-archive:" + tar(output);
  }

  private static String digest(String image) throws IOException, InterruptedException {
    return inspect(image).get("Digest").asText();
  }

  private static JsonNode inspect(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("skopeo", "inspect"));
    command.addAll(List.of(words));
    return JSON.readTree(Command.run(command.toArray(String[]::new)));
  }

  private static List<String> strings(JsonNode node, String field) {
    List<String> found = new ArrayList<>();
    node.get(field).forEach(text -> found.add(text.asText()));
    return found;
  }
}
