package dev.pvcpopulators.registrystreamiscsi.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ChapAccountTest {
  private @TempDir Path directory;

  private ChapAccount account(String content) throws IOException {
    return new ChapAccount("vm", Files.writeString(directory.resolve("secret"), content));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "\r\n"})
  void acceptsTheLongestSecretWithAnyLineEnd(String end) throws IOException {
    assertEquals("vm", account("s".repeat(ChapAccount.MAX_SECRET) + end).identity().name());
  }

  @ParameterizedTest
  @CsvSource({"256, 0", "256, 1", "255, 3"})
  void refusesALongerSecretOrFile(int length, int newlines) throws IOException {
    ChapAccount account = account("s".repeat(length) + "\n".repeat(newlines));
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, account::identity);
    assertEquals("Expected a secret of at most 255 bytes", refused.getMessage());
  }
}
