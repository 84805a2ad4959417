package dev.pvcpopulators.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the maximum length of a CA bundle.
final class TrustedAuthoritiesTest {
  private static final int LONGEST = 16 << 20;

  private @TempDir Path directory;

  @Test
  void aBundleThatIsTooLongIsRefused() throws IOException {
    assertEquals("Expected certificates in PEM in the CA bundle %s", refusal(LONGEST));
    assertEquals(
        "Expected at most 16777216 bytes in the CA bundle %s, found more", refusal(LONGEST + 1));
  }

  /// Returns the message for a bundle of newlines, with `%s` in place of the path.
  private String refusal(int length) throws IOException {
    byte[] newlines = new byte[length];
    Arrays.fill(newlines, (byte) '\n');
    Path bundle = Files.write(directory.resolve("ca.crt"), newlines);
    IllegalArgumentException refused =
        assertThrows(
            IllegalArgumentException.class, () -> TrustedAuthorities.context(Optional.of(bundle)));
    return String.valueOf(refused.getMessage()).replace(bundle.toString(), "%s");
  }
}
