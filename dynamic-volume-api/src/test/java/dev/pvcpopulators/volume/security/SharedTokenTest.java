package dev.pvcpopulators.volume.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.volume.security.Access.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedTokenTest {
  private static Decision decide(Access access, @Nullable String token) {
    return access.decide(token).toCompletableFuture().join();
  }

  @Test
  void onlyTheTokenItselfOpens() throws IOException {
    Access access = new SharedToken(new SharedToken.Origin.Setting("s3cret"));
    assertEquals(Decision.ALLOWED, decide(access, "s3cret"));
    for (String wrong : new String[] {null, "", "s3cre", "s3crets", "S3CRET"}) {
      assertEquals(Decision.UNAUTHENTICATED, decide(access, wrong));
    }
  }

  @Test
  void fileIsReadAnewAndItsLastLineBreakIsNotPartOfIt(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("token"), "first\n");
    Access access = new SharedToken(new SharedToken.Origin.File(file));
    assertEquals(Decision.ALLOWED, decide(access, "first"));
    // As Kubernetes does it: another file under the same name.
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
    SharedToken.Origin origin = new SharedToken.Origin.File(file);
    assertThrows(IOException.class, () -> new SharedToken(origin));
    Files.writeString(file, " \n");
    assertThrows(IOException.class, () -> new SharedToken(origin));
    Files.writeString(file, "x".repeat(8_193));
    assertThrows(IOException.class, () -> new SharedToken(origin));
    Files.writeString(file, "x".repeat(8_192));
    assertEquals(Decision.ALLOWED, decide(new SharedToken(origin), "x".repeat(8_192)));
  }
}
