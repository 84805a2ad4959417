package dev.pvcpopulators.populate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class CommandLineTest {
  private static final int ROWS = 30;
  private static final int COLUMNS = 80;
  private static final int USAGE = 64;
  private static final int CONFIGURATION = 78;

  /// The exit code and the standard error of a command.
  private record Ran(int code, String errors) {}

  private static Ran run(String... arguments) {
    StringWriter errors = new StringWriter();
    CommandLine line = Main.commandLine().setErr(new PrintWriter(errors, true));
    return new Ran(line.execute(arguments), errors.toString());
  }

  static Stream<CommandLine> commands() {
    return Stream.concat(
        Stream.of(Main.commandLine()), Main.commandLine().getSubcommands().values().stream());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpFitsOneScreen(CommandLine command) {
    List<String> lines = command.getUsageMessage(CommandLine.Help.Ansi.OFF).lines().toList();
    assertTrue(lines.size() <= ROWS, () -> lines.size() + " lines\n" + String.join("\n", lines));
    assertTrue(lines.stream().allMatch(line -> line.length() <= COLUMNS), lines::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "upload",
        "upload disk.img",
        "upload disk.img --claim",
        "upload disk.img --claim UPPER",
        "upload disk.img --claim vm1 --sha256 123",
        "upload disk.img --claim vm1 --format qcow",
        "upload disk.img --claim vm1 --size much",
        "upload disk.img --claim vm1 --size -1Gi",
        "upload disk.img --claim vm1 --timeout 10",
        "upload disk.img --claim vm1 --unknown",
        "status one two",
        "status -o xml",
        "wait",
        "nonsense"
      })
  void refusesAMistakeWithOneSentence(String words) {
    Ran ran = run(words.split(" ", -1));
    assertEquals(USAGE, ran.code(), ran.errors());
    assertEquals(1, ran.errors().lines().count(), ran.errors());
  }

  @Test
  void namesAKubeconfigThatDoesNotExist(@TempDir Path directory) {
    Ran ran = run("status", "--kubeconfig", directory.resolve("none").toString());
    assertEquals(CONFIGURATION, ran.code(), ran.errors());
    assertTrue(ran.errors().contains("none: expected a readable file"), ran.errors());
  }

  @Test
  void readsDurationsAsKubectlDoes() {
    DurationConverter converter = new DurationConverter();
    assertEquals(90, converter.convert("90s").toSeconds());
    assertEquals(600, converter.convert("10m").toSeconds());
    assertEquals(7200, converter.convert("2h").toSeconds());
  }

  @Test
  void theScriptForShellsCompletesTheProgram() {
    String script = CompletionCommand.script();
    assertTrue(script.contains("complete -F _complete_kubectl-populate"), script);
    assertTrue(!script.contains("kubectl populate()"), script);
  }

  @Test
  void completesCommandsAndOptions() {
    var root = Main.commandLine().getCommandSpec();
    assertTrue(CompleteCommand.candidates(root, List.of("")).contains("upload"));
    assertEquals(List.of("status"), CompleteCommand.candidates(root, List.of("sta")));
    assertEquals(
        List.of("--claim", "--class"),
        CompleteCommand.candidates(root, List.of("upload", "disk.img", "--cla")));
    assertTrue(
        CompleteCommand.candidates(root, List.of("status", "-o", ""))
            .containsAll(List.of("json", "yaml")));
    assertTrue(CompleteCommand.candidates(root, List.of("complete", "")).isEmpty());
  }
}
