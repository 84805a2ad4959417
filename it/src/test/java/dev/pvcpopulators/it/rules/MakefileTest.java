package dev.pvcpopulators.it.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Services;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the targets of the Makefile: `help` lists all targets, `build` does nothing if no source
/// has changed, and `test` ends with a summary.
@Tag("tools")
final class MakefileTest {
  @TempDir private Path work;

  @Test
  void helpListsEachTarget() throws IOException {
    Set<String> targets = new TreeSet<>();
    Pattern.compile("^([a-z][\\w-]*):", Pattern.MULTILINE)
        .matcher(Files.readString(Command.root().resolve("Makefile")))
        .results()
        .forEach(match -> targets.add(match.group(1)));

    Set<String> listed = new TreeSet<>();
    Pattern.compile("^  make (\\S+)", Pattern.MULTILINE)
        .matcher(Command.run("make", "-s", "-C", Command.root().toString(), "help"))
        .results()
        .forEach(match -> listed.add(match.group(1)));
    assertTrue(targets.contains("nightly"), targets.toString());
    Services.names().forEach(service -> targets.add("run-" + service));
    assertEquals(targets, listed);
  }

  @Test
  void buildsWhereSomethingChangedOnly() throws IOException {
    Path checkout = checkout();
    assertEquals(1, builds(checkout), "the first time");
    assertEquals(1, builds(checkout), "no change");
    Files.writeString(checkout.resolve("README.md"), "changed");
    assertEquals(1, builds(checkout), "a document");

    Files.writeString(checkout.resolve("pom.xml"), "changed");
    assertEquals(2, builds(checkout), "a changed file");
    Files.writeString(checkout.resolve("New.java"), "new");
    assertEquals(3, builds(checkout), "a new file");
    Files.delete(checkout.resolve("Old.java"));
    assertEquals(4, builds(checkout), "a deleted file");
    Files.writeString(application(checkout, "registry-copy"), "of other sources");
    assertEquals(5, builds(checkout), "jars that another build made");
    Files.delete(application(checkout, "http-upload"));
    assertEquals(6, builds(checkout), "no jars");
    assertEquals(6, builds(checkout), "no change");
  }

  @Test
  void buildsAgainAfterAFailedBuild() throws IOException {
    Path checkout = checkout();
    assertEquals(1, builds(checkout));
    Files.writeString(checkout.resolve("fails"), "");
    assertEquals(1, Command.tried(List.of(checkout.resolve(".mvn/build.sh").toString())).status());
    assertEquals(1, Command.tried(List.of(checkout.resolve(".mvn/build.sh").toString())).status());
    Files.delete(checkout.resolve("fails"));
    assertEquals(4, builds(checkout));
  }

  @Test
  void summaryCountsTestsAndNamesFailures() throws IOException {
    report(
        "lib/one",
        "dev.OneTest",
        "12.5",
        """
          <testcase name="passes" classname="dev.OneTest" time="12">
            <system-out><![CDATA[<testcase name="printed"><failure/></testcase>]]></system-out>
          </testcase>
          <testcase name="fails" classname="dev.OneTest" time="0.1"><failure message="a"/><error/></testcase>
          <testcase name="" classname="dev.OneTest" time="0"><error message="b"/></testcase>
        """);
    report(
        "two",
        "dev.TwoTest",
        "1,200.25",
        """
          <testcase name="waits" classname="dev.TwoTest" time="1200"/>
          <testcase name="isLeftOut" classname="dev.TwoTest" time="0"><skipped/></testcase>
        """);
    Files.createDirectories(work.resolve("three/src/test/java"));

    Command.Ran summary = summary();

    assertEquals(1, summary.status(), summary.toString());
    assertEquals(
        """

        Failed tests
          dev.OneTest
            fails
            (class)

        Modules whose tests did not run
          three

        Slowest test classes
            1200.3 s  dev.TwoTest
              12.5 s  dev.OneTest

        2 passed, 2 failed, 1 skipped
        """,
        summary.out());
  }

  @Test
  void summaryFailsForAReportThatEndsEarly() throws IOException {
    report("one", "dev.OneTest", "1.0", "<testcase name='a'>");
    Command.Ran summary = summary();
    assertEquals(1, summary.status(), summary.toString());
    assertTrue(summary.out().contains("TEST-dev.OneTest.xml"), summary.toString());
    assertTrue(summary.out().endsWith("\n0 passed, 0 failed, 0 skipped\n"), summary.toString());
  }

  private Command.Ran summary() throws IOException {
    return Command.tried(
        List.of(
            Path.of(System.getProperty("java.home"), "bin/java").toString(),
            Command.root().resolve(".ci/TestSummary.java").toString(),
            work.toString()));
  }

  private void report(String module, String name, String seconds, String cases) throws IOException {
    Files.createDirectories(work.resolve(module).resolve("src/test/java"));
    Path folder = Files.createDirectories(work.resolve(module).resolve("target/surefire-reports"));
    Files.writeString(
        folder.resolve("TEST-%s.xml".formatted(name)),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"%s\" time=\"%s\">\n%s</testsuite>\n"
            .formatted(name, seconds, cases));
  }

  /// Creates a repository with the build script and a fake Maven that counts its calls.
  private Path checkout() throws IOException {
    Path checkout = work.resolve("checkout");
    Files.createDirectories(checkout.resolve(".mvn"));
    for (String script : List.of("build.sh", "find-jdk.sh")) {
      Files.copy(
          Command.root().resolve(".mvn").resolve(script), checkout.resolve(".mvn/" + script));
    }
    Path list = Files.createDirectories(checkout.resolve("service-parent/services"));
    for (String file : List.of("list.sh", "services/pom.xml")) {
      Files.copy(
          Command.root().resolve("service-parent").resolve(file),
          list.resolveSibling("").resolve(file));
    }
    Files.copy(Command.root().resolve(".gitignore"), checkout.resolve(".gitignore"));
    Files.writeString(checkout.resolve("README.md"), "");
    Files.writeString(checkout.resolve("pom.xml"), "");
    Files.writeString(checkout.resolve("Old.java"), "");
    List<String> maven = new ArrayList<>(List.of("#!/bin/sh", "set -e", "echo >>target/calls"));
    maven.add("[ ! -e fails ] || exit 1");
    for (String service : Services.names()) {
      maven.add("mkdir -p %s/target/quarkus-app".formatted(service));
      maven.add("echo jar >%s/target/quarkus-app/quarkus-run.jar".formatted(service));
    }
    Path mvnw = Files.writeString(checkout.resolve("mvnw"), String.join("\n", maven) + "\n", UTF_8);
    assertTrue(mvnw.toFile().setExecutable(true));
    Command.in(checkout, "git", "init", "-q");
    Command.in(checkout, "git", "add", ".");
    return checkout;
  }

  /// Runs the build script, and returns the number of all Maven calls so far. Fails the test if the
  /// script fails.
  private static long builds(Path checkout) throws IOException {
    Command.run(checkout.resolve(".mvn/build.sh").toString());
    try (Stream<String> calls = Files.lines(checkout.resolve("target/calls"))) {
      return calls.count();
    }
  }

  private static Path application(Path checkout, String service) {
    return checkout.resolve(service).resolve("target/quarkus-app/quarkus-run.jar");
  }
}
