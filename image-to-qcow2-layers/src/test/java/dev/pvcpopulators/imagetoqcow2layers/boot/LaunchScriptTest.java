package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests the script that starts the image's process. The shell of busybox runs the script on the
/// host, not in a virtual machine.
@Tag("tools")
class LaunchScriptTest {
  @TempDir Path directory;

  private Path bin;

  @BeforeEach
  void makePrograms() throws IOException {
    bin = Files.createDirectories(directory.resolve("bin"));
    program("app", "#!/bin/sh\nprintf '[%s]' \"$@\"\n", true);
    program("exit1", "#!/bin/sh\nexit 1\n", true);
    program("kill9", "#!/bin/sh\nkill -KILL $$\n", true);
    program("text", "#!/bin/sh\n", false);
    program("plain", "echo a shell would run this\n", true);
    // The machine type of this ELF header is EM_S390. These tests do not run on an s390 processor.
    program("foreign", "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\26\0", true);
    program("cut", "\177ELF", true);
    program("lost", "#!/no/such/interpreter\n", true);
    Files.createDirectory(bin.resolve("folder"));
  }

  private void program(String name, String text, boolean executable) throws IOException {
    Path file = Files.writeString(bin.resolve(name), text);
    assertTrue(file.toFile().setExecutable(executable, false));
  }

  private Command.Ran launch(List<String> environment, String workingDirectory, String... arguments)
      throws IOException, InterruptedException {
    long uid = Long.parseLong(Command.run("id", "-u").strip());
    GuestProcess process = GuestProcesses.of(uid, environment, workingDirectory, arguments);
    GuestFiles files = new GuestFiles(process, new String(Resource.bytes("launch.sh"), UTF_8));
    Path script = Files.writeString(directory.resolve("script"), files.launchScript());
    String busybox = QemuMachine.kernel().busybox().toString();
    return Command.of(
            "sh", "-c", "exec \"$0\" sh /proc/self/fd/3 3<\"$1\"", busybox, script.toString())
        .tried();
  }

  private Command.Ran launch(String... arguments) throws IOException, InterruptedException {
    return launch(List.of("PATH=/nowhere:" + bin + ":/usr/bin"), "/", arguments);
  }

  @ParameterizedTest
  @CsvSource({
    "app, 0",
    "exit1, 1",
    "kill9, 137",
    "nothing, 127",
    "httpd, 127", // an applet of busybox
    "lost, 127",
    "text, 126",
    "plain, 126",
    "foreign, 126",
    "cut, 126",
    "./bin/foreign, 126",
    "folder, 127",
    "/nothing, 127",
    "/, 126",
    "./bin/exit1, 1",
  })
  void exitsAsContainersToolsDo(String name, int status) throws Exception {
    Command.Ran ran = launch(List.of("PATH=" + bin), directory.toString(), name);
    assertEquals(status, ran.status(), ran::toString);
  }

  @Test
  void looksInEachDirectoryAndGoesOnBehindOneThatHasNoProgram() throws Exception {
    Path first = Files.createDirectories(directory.resolve("with space/bin"));
    Files.writeString(first.resolve("app"), "not executable");
    Files.createDirectory(first.resolve("exit1"));
    List<String> environment = List.of("PATH=" + first + ":" + bin);
    assertEquals("[x]", launch(environment, "/", "app", "x").ok().output());
    assertEquals(1, launch(environment, "/", "exit1").status());
    // An empty part of PATH means the working directory (POSIX.1-2017, XBD 8.3).
    assertEquals("[y]", launch(List.of("PATH=:/x"), bin.toString(), "app", "y").ok().output());
  }

  @Test
  void reportsAProgramForAnotherProcessor() throws Exception {
    Command.Ran ran = launch("foreign");
    assertEquals(126, ran.status());
    assertTrue(ran.output().contains(bin + "/foreign cannot be executed"), ran::toString);
  }

  @Test
  void reportsAWorkingDirectoryThatCannotBeEntered() throws Exception {
    Command.Ran ran = launch(List.of("PATH=" + bin), bin + "/text", "app");
    assertEquals(126, ran.status());
    assertTrue(ran.output().contains("the working directory " + bin + "/text"), ran::toString);
  }

  @Test
  void argumentsArriveAsTheyAre() throws Exception {
    List<String> arguments =
        List.of(
            "app", "", "a b", "it's", "\"", "$HOME `id` \\", "*", "-n", "é\n€", "\t\u0001\u007f");
    Command.Ran ran = launch(arguments.toArray(new String[0]));
    assertEquals(
        String.join("", arguments.stream().skip(1).map(argument -> "[" + argument + "]").toList()),
        ran.ok().output());
  }

  @Test
  void environmentsArriveAsTheyAre() throws Exception {
    long seed = System.nanoTime();
    System.out.println("LaunchScriptTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      List<String> environment = new ArrayList<>(List.of("PATH=/usr/bin:/bin"));
      int variables = 1 + random.nextInt(50);
      for (int i = 0; i < variables; i++) {
        // Without the underscore, two names could be equal, because the text can begin with a
        // digit.
        environment.add("N" + i + "_" + text(random, 10, "=") + "=" + text(random, 200, ""));
      }
      environment.add(
          "LONG=" + "x".repeat(random.nextInt(GuestProcess.MAX_STRING - "LONG=".length())));
      Command.Ran ran = launch(environment, "/", "cat", "/proc/self/environ");
      assertEquals(String.join("\0", environment) + "\0", ran.ok().output(), "seed " + seed);
    }
  }

  private static String text(Random random, int most, String without) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(most);
    while (text.length() < length) {
      int character = 1 + random.nextInt(random.nextBoolean() ? 0x7f : 0x2fff);
      if (without.indexOf(character) < 0) {
        text.appendCodePoint(character);
      }
    }
    return text.toString();
  }

  @Test
  void theLongestEnvironmentArrives() throws Exception {
    List<String> environment = new ArrayList<>(List.of("PATH=/usr/bin:/bin"));
    long total = 0;
    while (total < GuestProcess.MAX_STRINGS - 2 * GuestProcess.MAX_STRING) {
      String variable = "V" + total + "=";
      environment.add(variable + "x".repeat(GuestProcess.MAX_STRING - 1 - variable.length()));
      total += GuestProcess.MAX_STRING;
    }
    Command.Ran ran = launch(environment, "/", "wc", "-c", "/proc/self/environ");
    long expected = environment.stream().mapToLong(variable -> variable.length() + 1L).sum();
    assertEquals(expected + " /proc/self/environ\n", ran.ok().output());
  }
}
