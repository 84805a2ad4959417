package dev.pvcpopulators.registrystreamiscsi.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class ReasonTest {
  @TempDir private Path directory;

  @Test
  void namesTheConditionWhereTheMessageIsOnlyAPath() throws IOException {
    Path missing = directory.resolve("missing");
    assertEquals(
        missing + ": expected an existing file, found none",
        reason(() -> Files.readString(missing)));
    Path full = Files.createDirectory(directory.resolve("full"));
    Path file = Files.createFile(full.resolve("file"));
    assertEquals(
        full + ": expected an empty directory, found something in it",
        reason(() -> Files.delete(full)));
    Path below = file.resolve("below");
    assertEquals(below + ": Not a directory", reason(() -> Files.createFile(below)));
    assertEquals(file + ": FileAlreadyExistsException", reason(() -> Files.createFile(file)));
    assertEquals(full + ": Is a directory", reason(() -> Files.newOutputStream(full).close()));
  }

  @Test
  void repeatsAnyOtherMessage() {
    assertEquals("it broke off", Reason.of(new IOException("it broke off")));
  }

  private static String reason(Executable action) {
    return Reason.of(assertThrows(IOException.class, action));
  }
}
