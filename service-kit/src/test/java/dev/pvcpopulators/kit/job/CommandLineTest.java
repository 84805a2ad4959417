package dev.pvcpopulators.kit.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.settings.Described;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.PopulatorSettings.Output;
import dev.pvcpopulators.volume.Notation;
import io.smallrye.config.ConfigMapping;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the command line. Tests that check exit codes, printed text or signals start a separate
/// process.
class CommandLineTest {
  private record Ended(int code, String output) {}

  private static ProcessBuilder java(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  private static Ended run(Class<?> main, String... arguments) throws Exception {
    Process process = java(main, arguments).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  @Test
  void helpOfSettingsNamesEveryOneAndStartsNothing() throws Exception {
    Ended help = run(LauncherMain.class, "--help", "settings");
    assertEquals(0, help.code(), help.output());
    for (String variable :
        List.of(
            "FAKE_SERVICE_COUNT (3)",
            "FAKE_SERVICE_TITLE\n",
            "FAKE_SERVICE_NAMED_TITLE\n",
            "POPULATOR_MODE (service)",
            "POPULATOR_OUTPUT (auto)",
            "POPULATOR_TARGET (/volume)",
            "POPULATOR_TOKEN_FILE\n",
            "POPULATOR_TLS_CERTIFICATE\n",
            "POPULATOR_TLS_PORT (8443)",
            "POPULATOR_TOKENREVIEW_USERS\n",
            "POPULATOR_TERMINATION_LOG (/dev/termination-log)")) {
      assertTrue(help.output().contains("  " + variable), variable + " in " + help.output());
    }
    assertTrue(help.output().lines().allMatch(line -> line.length() <= 100), help.output());
  }

  @Test
  void helpIsShortAndNamesTheServicesOwnFlags() throws Exception {
    Ended help = run(LauncherMain.class, "--help");
    assertEquals(0, help.code(), help.output());
    assertTrue(help.output().lines().allMatch(line -> line.length() <= 80), help.output());
    assertTrue(help.output().contains("[--once | FLAG]"), help.output());
    assertTrue(help.output().contains("  --look           look, and do nothing"), help.output());
    assertTrue(help.output().contains("  FAKE_SERVICE_COUNT  how many (3)"), help.output());
    assertTrue(help.output().contains("  fake/run.sh --once"), help.output());
  }

  @Test
  void unknownArgumentIsAUsageError() throws Exception {
    Ended ended = run(LauncherMain.class, "--once", "--twice");
    assertEquals(64, ended.code());
    assertTrue(ended.output().contains("--twice"), ended.output());
  }

  private static CommandLine of(String... arguments) {
    return CommandLine.of(LauncherMain.SERVICE, false, arguments);
  }

  private static String mistake(String... arguments) {
    return assertInstanceOf(CommandLine.Mistake.class, of(arguments)).reason();
  }

  @Test
  void suggestsTheMeantName() {
    for (String typed : List.of("--onec", "-once", "once", "--ONCE", "--onse")) {
      assertTrue(mistake(typed).endsWith("did you mean --once?"), typed);
    }
    assertTrue(mistake("--lok").endsWith("did you mean --look?"));
    assertTrue(mistake("--halp").endsWith("did you mean --help?"));
    for (String typed : List.of("", "-x", "upload", "--\u001b[31m")) {
      assertTrue(mistake(typed).endsWith("--help lists the arguments"), typed);
      assertFalse(mistake(typed).contains("\u001b"));
    }
    assertTrue(mistake("POPULATOR_TARGET=/x").contains("environment variables"));
  }

  @Test
  void aSecretInPlaceOfAVariableIsNotShown() {
    assertTrue(mistake("POPULATOR_TOKEN=canary\nx").contains("'POPULATOR_TOKEN=…'"));
  }

  /// The settings of a service that pulls an image.
  @ConfigMapping(prefix = "fake-pull")
  interface PullSettings {
    @Described(value = "An image", example = "reg.example/a:1")
    Optional<String> image();
  }

  @Test
  void anImageGoesIntoItsSetting() {
    Service pulls =
        new Service(
            "pull", "Pulls.", List.of(PullSettings.class), List.of(), LauncherMain.SERVICE.guide());
    for (String typed :
        List.of("nginx:1.29", "docker.io/library/nginx", "localhost:5000/a/b@sha256:01ab")) {
      CommandLine read = CommandLine.of(pulls, false, "--once", typed);
      assertEquals(
          new CommandLine.Mistake("an image is no argument: put it into FAKE_PULL_IMAGE"), read);
      assertTrue(mistake(typed).endsWith("--help lists the arguments"), typed);
    }
    for (String typed : List.of("-x", "--a/b", "./store", "nginx", "")) {
      CommandLine read = CommandLine.of(pulls, false, typed);
      assertFalse(read.toString().contains("FAKE_PULL_IMAGE"), typed);
    }
  }

  @Test
  void contradictionsAreMistakes() {
    assertTrue(mistake("--once", "--quiet", "--json").contains("--quiet and --json contradict"));
    assertTrue(mistake("--json").contains("--once"));
    assertTrue(mistake("--quiet").contains("POPULATOR_MODE=job"));
  }

  @Test
  void flagsGoTogether() {
    assertEquals(new CommandLine.Once(Output.JSON), of("--json", "--once"));
    assertEquals(new CommandLine.Once(null), of("--once", "--once"));
    assertEquals(new CommandLine.Run(null), of());
    assertEquals(
        new CommandLine.Run(Output.QUIET), CommandLine.of(LauncherMain.SERVICE, true, "--quiet"));
    Service.Flag look = LauncherMain.SERVICE.flags().getFirst();
    assertEquals(new CommandLine.Special(look, Output.JSON), of("--look", "--once", "--json"));
    assertEquals(new CommandLine.Help(), of("--nothing", "-h"));
    assertEquals(new CommandLine.Settings(), of("--help", "settings"));
    assertEquals(new CommandLine.Version(), of("--version"));
  }

  @Test
  void everySettingIsDescribed() {
    for (Class<?> type :
        List.of(
            PopulatorSettings.class,
            PopulatorSettings.Tls.class,
            PopulatorSettings.TokenReview.class)) {
      for (Method method : type.getDeclaredMethods()) {
        assertTrue(
            method.isAnnotationPresent(Described.class)
                || method.getReturnType().getEnclosingClass() == PopulatorSettings.class,
            method.toString());
      }
    }
  }

  @Test
  void sigtermCancelsAndLeavesTheMessage(@TempDir Path directory) throws Exception {
    Path log = directory.resolve("termination-log");
    Process process = java(JobMain.class, log.toString()).start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      awaitLine(lines, "Pending");
      // Uses the handle, because `Process.destroy()` also closes the stream that the test reads.
      process.toHandle().destroy();
      // Drains the output until the process ends.
      var _ = lines.lines().toList();
    }
    assertEquals(143, process.waitFor());
    List<String> message = Files.readAllLines(log);
    assertEquals(2, message.size(), message.toString());
    assertTrue(message.getFirst().startsWith("Failed"), message.toString());
    var result = Notation.JSON.read(message.getLast().getBytes(StandardCharsets.UTF_8));
    assertTrue(result.path("exitCode").isMissingNode(), result.toString());
    assertEquals("urn:pvc-populators:problem:cancelled", result.at("/failure/type").asText());
  }

  private static void awaitLine(BufferedReader lines, String start) throws IOException {
    String line = lines.readLine();
    while (line != null && !line.startsWith(start)) {
      line = lines.readLine();
    }
    assertTrue(line != null, "a line that begins with " + start);
  }
}
