package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks a build that was copied to another folder. In the other folder, `run.sh` must not use the
/// AOT cache, although the JVM accepts the cache. With the cache, the service fails when it loads a
/// class that is in a sealed jar and not in the cache.
@Tag("tools")
final class MovedCheckoutTest {
  @Test
  void onlyWhereItWasMadeAnAotCacheIsUsed(@TempDir Path directory)
      throws IOException, InterruptedException {
    Path moved = copied(directory);
    Launch here = Launch.on(Files.createDirectory(directory.resolve("volume")));
    Launch there = here.under("sh", "-c", "exec " + moved.resolve("http-upload/run.sh"));
    try (Service service = here.start()) {
      assertTrue(usesCache(service));
    }
    try (Service service = there.start()) {
      assertFalse(usesCache(service));
    }
  }

  /// During a build, the AOT cache still belongs to the old jars. The JVM accepts this cache,
  /// because the JVM checks only one of the jars. Therefore `run.sh` checks all jars.
  @Test
  void onlyWithTheJarsThatItWasMadeOfAnAotCacheIsUsed(@TempDir Path directory)
      throws IOException, InterruptedException {
    Path moved = copied(directory);
    Path service = moved.resolve("http-upload");
    Path mark = service.resolve("target/trained-in");
    List<String> lines = Files.readAllLines(mark);
    Files.write(mark, List.of(service.resolve("target/quarkus-app").toString(), lines.get(1)));
    Launch there =
        Launch.on(Files.createDirectory(directory.resolve("volume")))
            .under("sh", "-c", "exec " + service.resolve("run.sh"));
    try (Service run = there.start()) {
      assertTrue(usesCache(run));
    }
    try (Stream<Path> jars = Files.list(service.resolve("target/quarkus-app/lib/main"))) {
      Path replaced = jars.sorted().findFirst().orElseThrow();
      Files.setLastModifiedTime(replaced, FileTime.from(Instant.now()));
    }
    try (Service run = there.start()) {
      assertFalse(usesCache(run));
    }
  }

  private static Path copied(Path directory) throws IOException, InterruptedException {
    Path moved = Files.createDirectory(directory.resolve("moved"));
    Command.in(
        Command.root(),
        "cp",
        "-a",
        "--parents",
        ".mvn",
        "service-parent",
        "http-upload/run.sh",
        "http-upload/target/quarkus-app",
        "http-upload/target/trained-in",
        moved.toString());
    return moved;
  }

  private static boolean usesCache(Service service) throws IOException {
    return Files.readString(Path.of("/proc", Long.toString(service.pid()), "maps"))
        .contains("app.aot");
  }
}
