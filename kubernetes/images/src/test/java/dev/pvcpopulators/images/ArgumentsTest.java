package dev.pvcpopulators.images;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArgumentsTest {
  private static final List<String> NEEDED =
      List.of(
          "--base", "/base", "--staged", "/staged", "--output", "/out", "--version", "1.2", "some");

  @Test
  void buildsWithoutPushingByDefault() throws UsageException {
    Arguments arguments = Arguments.parse(NEEDED);
    assertEquals(List.of("some"), arguments.services());
    assertEquals(Optional.empty(), arguments.push());
    assertFalse(arguments.insecure());
    assertEquals(Instant.EPOCH, arguments.created());
    assertEquals(Path.of("/staged"), arguments.staged());
  }

  @Test
  void takesEveryOption() throws UsageException {
    Arguments arguments =
        Arguments.parse(
            with(
                "--push",
                "registry.example/disks",
                "--insecure",
                "--revision",
                "0123abc",
                "--source",
                "https://example.org/source",
                "--created",
                "2026-01-01T00:00:00Z",
                "http-upload",
                "registry-copy"));
    assertEquals(Optional.of("registry.example/disks"), arguments.push());
    assertTrue(arguments.insecure());
    assertEquals(Optional.of("0123abc"), arguments.origin().revision());
    assertEquals(Optional.of("https://example.org/source"), arguments.origin().source());
    assertEquals(Instant.parse("2026-01-01T00:00:00Z"), arguments.created());
    assertEquals(List.of("some", "http-upload", "registry-copy"), arguments.services());
  }

  @ParameterizedTest
  @CsvSource({
    "--push,                 --push: expected a value after it",
    "--created yesterday,    '--created: expected a time like 2026-01-01T00:00:00Z, found yesterday'",
    "--colour,               'expected an option or a service, found --colour'",
    "../some,                'expected an option or a service, found ../some'"
  })
  void refusesUnknownFields(String words, String message) {
    UsageException refused =
        assertThrows(
            UsageException.class, () -> Arguments.parse(with(words.strip().split(" ", -1))));
    assertEquals(message, refused.getMessage());
  }

  @Test
  void reportsMissingParts() {
    UsageException refused =
        assertThrows(UsageException.class, () -> Arguments.parse(NEEDED.subList(0, 8)));
    assertEquals("no service is named", refused.getMessage());
    refused = assertThrows(UsageException.class, () -> Arguments.parse(List.of("some")));
    assertEquals("--base is missing", refused.getMessage());
  }

  private static List<String> with(String... more) {
    List<String> words = new ArrayList<>(NEEDED);
    words.addAll(List.of(more));
    return words;
  }
}
