package dev.pvcpopulators.kit.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.kit.security.Access.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedTokenTest {
  private static Decision decide(Access access, @Nullable String token) {
    return access.decide(token, "192.0.2.1").toCompletableFuture().join();
  }

  @Test
  void onlyTheTokenItselfOpens() throws IOException {
    Access access = new SharedToken(Optional.of("s3cret"), Optional.empty(), 1);
    assertEquals(Decision.ALLOWED, decide(access, "s3cret"));
    for (String wrong : new String[] {null, "", "s3cre", "s3crets", "S3CRET"}) {
      assertEquals(Decision.UNAUTHENTICATED, decide(access, wrong));
    }
  }

  @Test
  void fileIsReadForEachRequestWithoutItsLastLineBreak(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "first\n");
    Access access = new SharedToken(Optional.empty(), Optional.of(file), 1);
    assertEquals(Decision.ALLOWED, decide(access, "first"));
    // As Kubernetes does, the test replaces the file under the same name.
    Path next = Files.writeString(directory.resolve("next"), "second\r\n");
    Files.move(next, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertEquals(Decision.UNAUTHENTICATED, decide(access, "first"));
    assertEquals(Decision.ALLOWED, decide(access, "second"));
    Files.writeString(file, "\n");
    assertEquals(Decision.UNAUTHENTICATED, decide(access, ""));
    Files.delete(file);
    assertEquals(Decision.UNAUTHENTICATED, decide(access, "second"));
  }

  @Test
  void fileHasLimits(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("token");
    Optional<Path> origin = Optional.of(file);
    assertThrows(IOException.class, () -> new SharedToken(Optional.empty(), origin, 1));
    Files.writeString(file, " \n");
    assertThrows(IOException.class, () -> new SharedToken(Optional.empty(), origin, 1));
    Files.writeString(file, "x".repeat(8_193));
    assertThrows(IOException.class, () -> new SharedToken(Optional.empty(), origin, 1));
    Files.writeString(file, "x".repeat(8_192));
    assertEquals(
        Decision.ALLOWED, decide(new SharedToken(Optional.empty(), origin, 1), "x".repeat(8_192)));
  }

  @Test
  void shortTokenIsNeverAccepted(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "123456789012345\n");
    Optional<Path> origin = Optional.of(file);
    assertThrows(IOException.class, () -> new SharedToken(Optional.empty(), origin, 16));
    Files.writeString(file, "1234567890123456\n");
    Access access = new SharedToken(Optional.empty(), origin, 16);
    assertEquals(Decision.ALLOWED, decide(access, "1234567890123456"));
    Files.writeString(file, "a");
    assertEquals(Decision.UNAUTHENTICATED, decide(access, "a"));
  }

  /// An unauthenticated client must not fill the log while the token's file is missing.
  @Test
  void missingFileIsLoggedOnceAMinute(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "first\n");
    Access access = new SharedToken(Optional.empty(), Optional.of(file), 1);
    Files.delete(file);
    List<String> lines = new ArrayList<>();
    Handler collector =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(SharedToken.class.getName());
    logger.addHandler(collector);
    try {
      for (int i = 0; i < 5; i++) {
        assertEquals(Decision.UNAUTHENTICATED, decide(access, "first"));
      }
    } finally {
      logger.removeHandler(collector);
    }
    assertEquals(1, lines.size(), lines::toString);
  }
}
