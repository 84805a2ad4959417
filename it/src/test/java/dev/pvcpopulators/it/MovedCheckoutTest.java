package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What was built in one folder and is run in another. There the JVM would take the AOT cache all
/// the same, until a class of a jar that is sealed is wanted that is not in it: it refuses that one
/// then, as registry-copy met when XZ's exceptions were to be told apart.
final class MovedCheckoutTest {
  @Test
  void onlyWhereItWasMadeAnAotCacheIsUsed(@TempDir Path directory)
      throws IOException, InterruptedException {
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
    Launch here = Launch.on(Files.createDirectory(directory.resolve("volume")));
    Launch there = here.under("sh", "-c", "exec " + moved.resolve("http-upload/run.sh"));
    try (Service service = here.start()) {
      assertTrue(usesCache(service));
    }
    try (Service service = there.start()) {
      assertFalse(usesCache(service));
    }
  }

  private static boolean usesCache(Service service) throws IOException {
    return Files.readString(Path.of("/proc", Long.toString(service.pid()), "maps"))
        .contains("app.aot");
  }
}
