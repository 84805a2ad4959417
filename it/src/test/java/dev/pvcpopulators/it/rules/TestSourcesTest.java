package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Checks that the sources of tests contain no code that may fail on a busy host.
final class TestSourcesTest {
  /// The shortest permitted time-out of a test.
  private static final int SHORTEST_SECONDS = 300;

  /// Matches a command that attaches a loop device without a lock on `/dev/loop-control`. `losetup`
  /// and `mount` find a free device and attach it in two steps. If two processes do this at the
  /// same time, the slower process gets EBUSY.
  private static final Pattern UNLOCKED_LOOP =
      Pattern.compile(
          "(?<!/dev/loop-control(?:\", \"| ))"
              + "(?:losetup(?:\", \"| )(?:-f|--find)|mount(?:\", \"| )-o(?:\", \"| )loop)");

  /// A wait with a literal number of seconds.
  private static final Pattern WAIT =
      Pattern.compile(
          "\\b(?:get|await|tryAcquire|waitFor)\\((?:[^()]|\\(\\))*?(\\d+), (?:TimeUnit\\.)?SECONDS\\)");

  private static final Pattern ANNOTATION =
      Pattern.compile("@Timeout\\((?:value = )?([\\d_]++)(?!, unit)");

  private static final Pattern NAMED_SECONDS =
      Pattern.compile("\\w*(?:LIMIT|TIMEOUT|WAIT)_SECONDS = ([\\d_]+);");

  private static final Pattern NAMED_DURATION =
      Pattern.compile("\\w*(?:LIMIT|TIMEOUT) = Duration\\.ofSeconds\\(([\\d_]+)\\)");

  /// Matches code that gets a free port from the kernel, closes the port, and uses the port later.
  /// Another connection may get the port first.
  private static final Pattern EPHEMERAL_PORT =
      Pattern.compile(
          "new ServerSocket\\(0(?:, [^{]*)?\\)\\) \\{ (?:return|\\w+ =) \\w+\\.getLocalPort\\(\\)");

  @Test
  void attachesLoopDevicesUnderOneLock() throws IOException {
    assertEquals(List.of(), found(List.of(UNLOCKED_LOOP), _ -> true));
  }

  @Test
  void waitsForFiveMinutesAtLeast() throws IOException {
    assertEquals(
        List.of(),
        found(
            List.of(WAIT, ANNOTATION, NAMED_SECONDS, NAMED_DURATION),
            match -> Integer.parseInt(match.group(1).replace("_", "")) < SHORTEST_SECONDS));
  }

  @Test
  void choosesPortsThatNoConnectionIsGiven() throws IOException {
    assertEquals(List.of(), found(List.of(EPHEMERAL_PORT), _ -> true));
  }

  private static List<String> found(List<Pattern> patterns, Predicate<MatchResult> wrong)
      throws IOException {
    List<String> found = new ArrayList<>();
    List<Path> sources = sources();
    assertTrue(sources.size() > 1, "no sources");
    for (Path source : sources) {
      String text = Files.readString(source).replaceAll("\\s+", " ").replaceAll("\\( ", "(");
      for (Pattern pattern : patterns) {
        pattern
            .matcher(text)
            .results()
            .filter(wrong)
            .forEach(match -> found.add(Checkout.name(source) + ": " + match.group()));
      }
    }
    return found;
  }

  private static List<Path> sources() {
    return Checkout.files().stream()
        .filter(file -> Checkout.name(file).matches("((it|bench)/.*|.*/src/test/.*)\\.(java|sh)"))
        .toList();
  }
}
