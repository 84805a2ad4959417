package dev.pvcpopulators.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks the output of Jobs on a terminal and for other programs (`--json`), and the help text.
@Tag("tools")
final class JobTerminalTest {
  private static final int COLUMNS = 60;
  private static final int SCREEN_LINES = 24;
  private static final int SCREEN_COLUMNS = 80;
  private static final int INTERRUPTED = 130;

  /// The time-out of a command in seconds.
  private static final String LIMIT = "600";

  private static final String CTRL_C = "\u0003";

  /// Escape sequences for colours and for erasing to the end of a line.
  private static final Pattern CONTROLS = Pattern.compile("\u001b\\[[0-9;]*[mK]");

  @TempDir private Path work = Path.of("");

  private static Launch onTerminal(Launch launch) {
    return launch
        .with("LANG", "C.UTF-8")
        .with("TERM", "xterm")
        .under(
            "timeout",
            "--foreground",
            LIMIT,
            "sh",
            "-c",
            // If a shell starts the tests in the background, the tests and their child processes
            // ignore SIGINT. `env` restores the default action of SIGINT.
            "exec script -qefc \"stty cols "
                + COLUMNS
                + "; exec env --default-signal=INT $*\" /dev/null",
            "sh");
  }

  private Launch copy() throws IOException, InterruptedException {
    Path image =
        Recipe.named("qcow2 version 3, clusters of 64k")
            .make(work, Seed.of("JobTerminalTest").random());
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, image);
    return Launch.of("registry-copy", VolumeDirectory.in(work, "volume").path())
        .with("REGISTRY_COPY_IMAGE", layout.reference(ImageLayout.LATEST))
        .with("POPULATOR_TERMINATION_LOG", work.resolve("log").toString());
  }

  @Test
  void aCopyShowsABarAndThenASummary() throws IOException, InterruptedException {
    Process process = onTerminal(copy().once()).begin();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
    String text = CONTROLS.matcher(output).replaceAll("");
    assertTrue(text.indexOf('\u001b') < 0, output);
    List<String> lines = text.lines().toList();
    List<String> bars = lines.stream().filter(line -> line.contains("▏")).toList();
    assertTrue(bars.stream().anyMatch(bar -> bar.contains("verifying and flushing")), output);
    assertTrue(bars.stream().allMatch(bar -> bar.length() < COLUMNS), output);
    List<String> words = lines.stream().filter(line -> !line.contains("▏")).toList();
    String ready = String.join(" ", words);
    assertTrue(ready.contains("Ready in "), output);
    assertTrue(ready.contains("volume/disk.img, a disk of 64.0 MiB"), output);
    assertTrue(ready.contains("(qcow2), oci:"), output);
    assertTrue(words.getLast().startsWith("  sha256:"), output);
    assertTrue(!output.contains("Listening") && !output.contains("{"), output);
  }

  @Test
  @Tag("nightly")
  void forAProgramAllOfStandardOutputIsJson() throws IOException, InterruptedException {
    Path errors = work.resolve("errors");
    Process process =
        copy()
            .arguments("--once", "--json")
            .under("sh", "-c", "exec \"$@\" 2>" + errors, "sh")
            .begin();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), () -> output);
    List<String> lines = output.lines().toList();
    for (String line : lines) {
      String event = Json.text(line).path("event").asText();
      boolean last = line.equals(lines.getLast());
      assertEquals(last ? "result" : "progress", event, output);
    }
    JsonNode result = Json.text(lines.getLast());
    assertEquals("Ready", result.path("phase").asText());
    assertEquals(0, result.path("exitCode").asInt(-1));
    assertTrue(Files.readString(errors).contains("The volume is ready"), "the log");
  }

  @Test
  void ctrlCEndsAJobThatWaits() throws IOException, InterruptedException {
    Path volume = VolumeDirectory.in(work, "volume").path();
    Process process = onTerminal(Launch.on(volume).once()).begin();
    StringBuilder output = new StringBuilder();
    try (Reader reader = new InputStreamReader(process.getInputStream(), UTF_8)) {
      boolean typed = false;
      for (int unit = reader.read(); unit >= 0; unit = reader.read()) {
        output.append((char) unit);
        if (!typed && output.toString().endsWith("▏  waiting")) {
          process.outputWriter(UTF_8).append(CTRL_C).flush();
          typed = true;
        }
      }
    }
    assertEquals(INTERRUPTED, process.waitFor(), output::toString);
    String text = CONTROLS.matcher(output).replaceAll("");
    assertTrue(text.contains("curl --fail-with-body -T disk.qcow2 http://127.0.0.1:"), text);
    List<String> lines = text.lines().toList();
    assertTrue(lines.getLast().startsWith("Cancelled after "), text);
  }

  @ParameterizedTest
  @MethodSource("dev.pvcpopulators.it.rules.OperationsPagesTest#services")
  void helpFitsAScreen(dev.pvcpopulators.kit.job.Service service) throws IOException {
    String program = Command.root().resolve(service.name()).resolve("run.sh").toString();
    String help = Command.run(program, "--help");
    List<String> lines = help.lines().toList();
    assertTrue(lines.size() <= SCREEN_LINES, () -> lines.size() + " lines:\n" + help);
    assertTrue(lines.stream().allMatch(line -> line.length() <= SCREEN_COLUMNS), help);
    assertTrue(lines.getFirst().startsWith("Usage: " + service.name() + " "), help);
    service.flags().forEach(flag -> assertTrue(help.contains("  " + flag.name() + " "), help));
    assertTrue(help.contains("/run.sh"), help);
    assertTrue(help.contains("  POPULATOR_TARGET "), help);
    Command.Ran mistaken = Command.tried(List.of(program, "--onec"));
    assertEquals(CopyOutcome.EX_USAGE, mistaken.status(), mistaken::toString);
    assertTrue(mistaken.err().contains("did you mean --once?"), mistaken::toString);
  }
}
