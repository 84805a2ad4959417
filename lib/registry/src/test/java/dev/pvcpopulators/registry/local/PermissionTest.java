package dev.pvcpopulators.registry.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.registry.local.LayoutBytes.Blob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class PermissionTest {
  @TempDir Path directory;

  @Test
  void reportsMissingReadPermission() throws IOException {
    Blob image = make("readable").manifest("{}", "x".getBytes(UTF_8));
    make("readable").index(image.descriptor("", ""));
    forbid(make("index").directory().resolve("index.json"));
    forbid(make("whole").directory());
    Path archive = directory.resolve("archive.tar");
    forbid(archive);
    List<Object> command = new ArrayList<>();
    if (new Tools(directory).run("id", "-u").equals("0")) {
      // Root may read every file, so WithoutPermission runs without root's file capabilities.
      command.addAll(List.of("setpriv", "--bounding-set", "-dac_override,-dac_read_search"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            WithoutPermission.class.getName()));
    command.add("oci:" + directory.resolve("readable"));
    command.add("oci:" + directory.resolve("index"));
    command.add("oci:" + directory.resolve("whole"));
    command.add("oci:" + directory.resolve("whole/below"));
    command.add("oci-archive:" + archive);
    command.add("docker-archive:" + archive);
    command.add("docker-archive:" + directory.resolve("none"));
    assertEquals(
        List.of(
            image.digest(),
            "SourceDeniedException",
            "SourceDeniedException",
            "SourceDeniedException",
            "SourceDeniedException",
            "SourceDeniedException",
            "SourceNotFoundException"),
        new Tools(directory).run(command.toArray()).lines().toList());
  }

  private LayoutBytes make(String name) throws IOException {
    return LayoutBytes.in(directory.resolve(name));
  }

  private static void forbid(Path path) throws IOException {
    if (!Files.exists(path)) {
      Files.createFile(path);
    }
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("---------"));
  }
}
