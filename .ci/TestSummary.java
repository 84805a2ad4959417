import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// Prints a summary of Surefire's reports below a directory: the failed tests by class, the reports
/// that cannot be read, the modules whose tests did not run, the slowest classes, and how many
/// tests passed, failed and were skipped.
///
/// usage: java TestSummary.java DIRECTORY. Exits with 1 if a test failed or a report cannot be read.
final class TestSummary {
  private static final int SLOWEST = 20;

  /// @param seconds how long the class took, as Surefire reports it
  private record ClassReport(String name, double seconds, int passed, int skipped, List<String> failed) {}

  public static void main(String[] arguments) throws IOException {
    Path root = Path.of(arguments[0]);
    Map<Path, List<Path>> reports = reports(root);
    List<ClassReport> classes = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    for (Path report : reports.values().stream().flatMap(List::stream).toList()) {
      try {
        classes.add(read(report));
      } catch (XMLStreamException | NumberFormatException e) {
        unreadable.add("%s: %s".formatted(root.relativize(report), e.getMessage()));
      }
    }

    List<ClassReport> failed = classes.stream().filter(c -> !c.failed().isEmpty()).toList();
    section("Failed tests", failed.stream().flatMap(TestSummary::failures).toList());
    section("Reports that cannot be read (the test process ended early)", unreadable);
    section(
        "Modules whose tests did not run",
        reports.entrySet().stream()
            .filter(module -> module.getValue().isEmpty())
            .map(module -> root.relativize(module.getKey()).toString())
            .toList());
    section(
        "Slowest test classes",
        classes.stream()
            .sorted(Comparator.comparingDouble(ClassReport::seconds).reversed())
            .limit(SLOWEST)
            .map(c -> "%8.1f s  %s".formatted(c.seconds(), c.name()))
            .toList());
    int failures = failed.stream().mapToInt(c -> c.failed().size()).sum();
    System.out.printf(
        "%n%d passed, %d failed, %d skipped%n",
        classes.stream().mapToInt(ClassReport::passed).sum(),
        failures,
        classes.stream().mapToInt(ClassReport::skipped).sum());
    System.exit(failures == 0 && unreadable.isEmpty() ? 0 : 1);
  }

  private static Stream<String> failures(ClassReport report) {
    return Stream.concat(
        Stream.of(report.name()), report.failed().stream().map(method -> "  " + method));
  }

  private static void section(String title, List<String> lines) {
    if (!lines.isEmpty()) {
      System.out.printf("%n%s%n", title);
      lines.forEach(line -> System.out.println("  " + line));
    }
  }

  /// Returns the reports of each module that has tests; the list of a module is empty if its tests
  /// did not run.
  private static Map<Path, List<Path>> reports(Path root) throws IOException {
    Map<Path, List<Path>> reports = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root, 4)) {
      for (Path module : files.filter(d -> Files.isDirectory(d.resolve("src/test/java"))).toList()) {
        Path folder = module.resolve("target/surefire-reports");
        if (Files.isDirectory(folder)) {
          try (Stream<Path> found = Files.list(folder)) {
            reports.put(
                module,
                found.filter(f -> f.getFileName().toString().matches("TEST-.*\\.xml")).sorted().toList());
          }
        } else {
          reports.put(module, List.of());
        }
      }
    }
    return reports;
  }

  private static ClassReport read(Path report) throws IOException, XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    String name = report.getFileName().toString();
    String method = "";
    double seconds = 0;
    int tests = 0;
    int skipped = 0;
    List<String> failed = new ArrayList<>();
    try (InputStream in = Files.newInputStream(report)) {
      XMLStreamReader xml = factory.createXMLStreamReader(in);
      boolean counted = false;
      while (xml.hasNext()) {
        if (xml.next() != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        switch (xml.getLocalName()) {
          case "testsuite" -> {
            name = xml.getAttributeValue(null, "name");
            seconds = Double.parseDouble(xml.getAttributeValue(null, "time").replace(",", ""));
          }
          case "testcase" -> {
            // The name of the test case is empty if the class could not be set up.
            String attribute = xml.getAttributeValue(null, "name");
            method = attribute == null || attribute.isEmpty() ? "(class)" : attribute;
            tests++;
            counted = false;
          }
          case "failure", "error" -> {
            if (!counted) {
              failed.add(method);
            }
            counted = true;
          }
          case "skipped" -> {
            if (!counted) {
              skipped++;
            }
            counted = true;
          }
          default -> {}
        }
      }
      xml.close();
    }
    return new ClassReport(name, seconds, tests - failed.size() - skipped, skipped, failed);
  }
}
