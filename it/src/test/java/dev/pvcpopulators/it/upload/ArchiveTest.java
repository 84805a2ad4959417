package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Curl;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that the service refuses an archive or unpacks it completely, and writes nothing outside
/// the volume.
@Tag("tools")
final class ArchiveTest {
  private static Path work;
  private static Path victim;
  private static VolumeDirectory volume;
  private static Service service;
  private static int serial;

  private Path tree = Path.of("");

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    volume = VolumeDirectory.in(directory, "volume");
    victim = Files.writeString(directory.resolve("victim"), "untouched");
    service = Launch.on(volume.path()).start();
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @BeforeEach
  void newTree() throws IOException {
    tree = Files.createDirectory(work.resolve("tree" + serial++));
  }

  @AfterEach
  void nothingElseIsTouched() throws IOException, InterruptedException {
    service.http().delete("/volume").expect(204);
    volume.assertEmpty();
    assertEquals("untouched", Files.readString(victim));
    assertFalse(Files.exists(work.resolve("escaped")));
  }

  @Test
  void filesDirectoriesAndLinksInside() throws IOException, InterruptedException {
    Files.createDirectories(tree.resolve("a/b"));
    Files.writeString(tree.resolve("a/b/file"), "content");
    Files.write(tree.resolve("empty"), new byte[0]);
    Files.createSymbolicLink(tree.resolve("a/link"), Path.of("b/file"));
    Files.createLink(tree.resolve("a/hard"), tree.resolve("a/b/file"));
    Command.run("chmod", "750", tree.resolve("a/b").toString());
    Path archive = work.resolve("good.tar.gz");
    Command.in(tree, "tar", "-czf", archive.toString(), ".");
    Curl.upload(archive, service.uri("/upload/?content=archive")).expect(201);
    Command.run("diff", "-r", tree.toString(), volume.path().toString());
    assertEquals(Path.of("b/file"), Files.readSymbolicLink(volume.path().resolve("a/link")));
    service.http().get("/volume").expect(200);
  }

  @Test
  void pathsThatClimbOut() throws IOException, InterruptedException {
    Files.writeString(tree.resolve("file"), "x");
    refuse("--transform", "s,file,../escaped,", "-P", "file");
    refuse("--transform", "s,file,a/../../escaped,", "-P", "file");
  }

  @Test
  void absolutePaths() throws IOException, InterruptedException {
    Files.writeString(tree.resolve("file"), "x");
    refuse("--transform", "s,file," + work.resolve("escaped") + ",", "-P", "file");
  }

  @Test
  void filesBehindASymbolicLinkOut() throws IOException, InterruptedException {
    Files.createSymbolicLink(tree.resolve("way"), work);
    Files.writeString(tree.resolve("file"), "x");
    refuse("-P", "--transform", "s,^file,way/escaped,", "way", "file");
  }

  @Test
  void symbolicLinksOut() throws IOException, InterruptedException {
    Files.createSymbolicLink(tree.resolve("link"), victim);
    refuse("link");
    Files.createSymbolicLink(tree.resolve("climbing"), Path.of("../victim"));
    refuse("climbing");
  }

  @Test
  void hardLinksOut() throws IOException, InterruptedException {
    Files.writeString(tree.resolve("file"), "x");
    Files.createLink(tree.resolve("hard"), tree.resolve("file"));
    // tar stores `hard` as a hard link. The option `--transform` changes only the target of this
    // link.
    refuse("-P", "--transform", "s,^file$," + victim + ",hRS", "file", "hard");
  }

  @Test
  void devicesAndPipes() throws IOException, InterruptedException {
    Command.run("mknod", tree.resolve("device").toString(), "c", "1", "3");
    refuse("device");
    Command.run("mkfifo", tree.resolve("pipe").toString());
    refuse("pipe");
  }

  @Test
  void notAnArchive() throws IOException, InterruptedException {
    service.http().put("/upload?content=archive", new byte[100_000]).expect(422).problem();
    volume.assertEmpty();
  }

  @Test
  void anArchiveWithoutItsEnd() throws IOException, InterruptedException {
    byte[] content = new byte[300_000];
    Seed.of("ArchiveTest").random().nextBytes(content);
    Files.write(tree.resolve("file"), content);
    Path archive = work.resolve("cut.tar");
    Command.in(tree, "tar", "-cf", archive.toString(), "file");
    byte[] bytes = Files.readAllBytes(archive);
    service
        .http()
        .put("/upload?content=archive", Arrays.copyOf(bytes, 200_000))
        .expect(422)
        .problem();
    volume.assertEmpty();
  }

  /// Makes an archive from files of the tree. The service must refuse the archive, and the volume
  /// must be empty.
  ///
  /// @param arguments the arguments of tar after the name of the archive
  private void refuse(String... arguments) throws IOException, InterruptedException {
    Path archive = work.resolve("hostile" + serial++ + ".tar");
    List<String> command = new ArrayList<>(List.of("tar", "-cf", archive.toString()));
    command.addAll(List.of(arguments));
    Command.in(tree, command.toArray());
    Answer answer = Curl.upload(archive, service.uri("/upload/?content=archive")).answer();
    assertTrue(
        answer.status() == 422 || answer.status() == 400, () -> List.of(arguments) + ": " + answer);
    answer.problem();
    volume.assertEmpty();
  }
}
