package dev.pvcpopulators.kit.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks a job on a pseudo-terminal and on a pipe.
class JobTerminalTest {
  private static final Map<String, String> UTF_8 = Map.of("LANG", "C.UTF-8", "TERM", "xterm");
  private static final String CTRL_C = "\u0003";
  private static final int INTERRUPTED = 130;

  @TempDir private Path target = Path.of("");

  private List<String> job(String output) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(TypedJobMain.class.getName(), target.toString(), output));
    return command;
  }

  @Test
  @Tag("tools")
  void theBarFitsAndFollowsTheWindow() throws IOException, InterruptedException {
    try (PseudoTerminal terminal = new PseudoTerminal("cols 80 -echo", UTF_8, job("auto"))) {
      String usual = terminal.awaitDrawn(line -> line.contains("420.0 of 1000.0 MiB"));
      assertTrue(usual.startsWith(" 42% ▕██"), usual);
      assertTrue(usual.contains("  layer 2 of 3"), usual);
      assertTrue(usual.length() < 80, usual);
      terminal.resize(200);
      String wide = terminal.awaitDrawn(line -> line.contains("disk 0.5 of 2.0 GiB"));
      assertTrue(wide.length() > 80 && wide.length() < 200, wide);
      terminal.resize(40);
      String narrow = terminal.awaitDrawn(line -> line.length() < 40);
      assertTrue(narrow.startsWith(" 42% ▕█"), narrow);
      terminal.resize(5);
      assertTrue(terminal.awaitDrawn(line -> line.length() < 5).startsWith(" 4"), "5 columns");
      terminal.resize(80);
      terminal.type("log\non\n");
      terminal.awaitDrawn(line -> line.startsWith(" 52% "));
      terminal.type("unbounded\n");
      terminal.awaitDrawn(line -> line.startsWith("▕ ") && line.contains("  520.0 MiB  "));
      terminal.type("flush\n");
      terminal.awaitDrawn(line -> line.contains("verifying and flushing"));
      terminal.type("finish\n");
      assertEquals(0, terminal.awaitEnd(), terminal.screen()::toString);
      List<String> left = terminal.screen().lines();
      assertEquals("told meanwhile a?bc?]0;pwned?d?2Je?f?", left.getFirst());
      assertEquals("g", left.get(1));
      assertTrue(
          left.get(2).matches("Ready in [0-9.]+ s: .*, a disk of 2\\.0 GiB"), left::toString);
      assertTrue(left.get(3).startsWith("  out of 520.0 MiB (qcow2+a b [31mc"), left::toString);
      assertEquals(List.of("  sha256:0123", ""), left.subList(4, left.size()));
    }
  }

  @Test
  @Tag("tools")
  void aPlainTerminalGetsPlainCharacters() throws IOException, InterruptedException {
    Map<String, String> plain = Map.of("LANG", "C.UTF-8", "TERM", "dumb");
    try (PseudoTerminal terminal = new PseudoTerminal("cols 80 -echo", plain, job("auto"))) {
      terminal.awaitDrawn(line -> line.startsWith(" 42% [###"));
      terminal.type("fail\n");
      assertEquals(66, terminal.awaitEnd(), terminal.screen()::toString);
      assertFalse(terminal.screen().escaped(), "control sequences");
      List<String> left = terminal.screen().lines();
      assertTrue(
          left.getFirst().matches("Failed after .* s: Nothing there: a b .*"), left::toString);
      assertEquals("  source-not-found, exit code 66: a retry would fail again", left.get(1));
    }
  }

  @Test
  @Tag("tools")
  void ctrlCLeavesACleanLine() throws IOException, InterruptedException {
    try (PseudoTerminal terminal = new PseudoTerminal("cols 80", UTF_8, job("auto"))) {
      terminal.awaitDrawn(line -> line.startsWith(" 42% "));
      terminal.type(CTRL_C);
      assertEquals(INTERRUPTED, terminal.awaitEnd(), terminal.screen()::toString);
      List<String> left = terminal.screen().lines();
      assertEquals(2, left.size(), left::toString);
      assertTrue(left.getFirst().startsWith("Cancelled after "), left::toString);
    }
  }

  private record Ended(int code, String output, String errors) {}

  private Ended piped(String output, String keys) throws IOException, InterruptedException {
    Path errors = target.resolve("errors");
    Process process = new ProcessBuilder(job(output)).redirectError(errors.toFile()).start();
    try (var typed = process.outputWriter(StandardCharsets.UTF_8)) {
      typed.write(keys);
    }
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), text, Files.readString(errors));
  }

  @Test
  void jsonIsAnObjectALine() throws IOException, InterruptedException {
    Ended ended = piped("json", "log\nflush\nfinish\n");
    assertEquals(0, ended.code(), ended::toString);
    List<String> lines = ended.output().lines().toList();
    List<JsonNode> events = new ArrayList<>();
    for (String line : lines) {
      assertTrue(line.chars().noneMatch(Character::isISOControl), line);
      events.add(Notation.JSON.read(line.getBytes(StandardCharsets.UTF_8)));
    }
    JsonNode result = events.removeLast();
    assertEquals("result", result.path("event").asText());
    assertEquals(0, result.path("exitCode").asInt(-1));
    assertEquals(TypedPopulator.HOSTILE, result.at("/details/image").asText());
    List<String> phases = events.stream().map(event -> event.path("phase").asText()).toList();
    assertTrue(phases.containsAll(List.of("Transferring", "Finalizing")), phases::toString);
    assertTrue(events.stream().allMatch(event -> event.path("event").asText().equals("progress")));
    assertTrue(ended.errors().contains("told meanwhile"), ended::toString);
  }

  @Test
  void quietPrintsOnlyTheFailure() throws IOException, InterruptedException {
    Ended ready = piped("quiet", "finish\n");
    assertEquals(new Ended(0, "", ""), ready);
    Ended failed = piped("quiet", "fail\n");
    assertEquals(66, failed.code());
    assertEquals("", failed.output());
    assertEquals(1, failed.errors().lines().count(), failed::toString);
    assertTrue(failed.errors().contains("Nothing there: a b"), failed::toString);
  }

  @Test
  void aPipeGetsLinesWithoutControls() throws IOException, InterruptedException {
    Ended ended = piped("lines", "fail\n");
    assertEquals(66, ended.code());
    assertFalse(
        ended.output().contains("\u001b") || ended.output().contains("\r"), ended::toString);
    List<String> lines = ended.output().lines().toList();
    JsonNode result = Notation.JSON.read(lines.getLast().getBytes(StandardCharsets.UTF_8));
    assertEquals(66, result.path("exitCode").asInt(-1));
  }
}
