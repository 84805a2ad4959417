package dev.pvcpopulators.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What was built in one folder and is run in another: there the JVM takes an AOT cache, and then
/// refuses each class of a sealed jar that is not in the cache.
final class MovedCheckoutTest {
  @Test
  void doesTheSame(@TempDir Path directory) throws IOException, InterruptedException {
    Path moved = Files.createDirectory(directory.resolve("moved"));
    Command.in(
        Command.root(),
        "cp",
        "-a",
        "--parents",
        ".mvn",
        "http-upload/run.sh",
        "http-upload/target/quarkus-app",
        "http-upload/target/trained-in",
        moved.toString());
    Path image = Files.write(directory.resolve("image"), new byte[1 << 20]);
    Command.run("xz", image.toString());

    VolumeDirectory volume = VolumeDirectory.in(directory, "volume");
    Launch launch =
        Launch.on(volume.path()).under("sh", "-c", "exec " + moved.resolve("http-upload/run.sh"));
    try (Service service = launch.start()) {
      Curl.upload(directory.resolve("image.xz"), service.uri("/upload")).expect(201);
    }
    volume.assertOneDisk();
  }
}
