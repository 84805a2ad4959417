package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.container.ContainerImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Checks that `docs/supply-chain.md` lists all libraries of services and all packages of images.
/// Each library must have an accepted licence. `make supply` writes the tables of the document. The
/// table of libraries comes from the bills of materials.
final class SupplyChainTest {
  private static final boolean WRITE = Boolean.getBoolean("docs.write");
  private static final int HEAD_ROWS = 2;
  private static final List<String> LIBRARY_HEAD =
      List.of("Library", "Version", "Licence", "Services");
  private static final List<String> PACKAGE_HEAD = List.of("Package", "Version", "Images");

  /// The SPDX identifiers of the accepted licences.
  private static final Set<String> ACCEPTED =
      Set.of(
          "0BSD",
          "Apache-2.0",
          "BSD-2-Clause",
          "BSD-3-Clause",
          "CC0-1.0",
          "EPL-2.0",
          "MIT",
          "MIT-0");

  /// Libraries that are runtime dependencies for Maven, but that Quarkus does not package.
  private static final Set<String> NOT_PACKAGED = Set.of("io.quarkus:quarkus-ide-launcher");

  /// The version in the name of a kernel's package.
  private static final String KERNEL_VERSION = "(?<=^linux-image-)[0-9][0-9.+~-]*-(?=[a-z])";

  /// Without the option `-C`, Maven 3 only warns of a checksum mismatch.
  @Test
  void mavenRefusesFilesWithAnotherChecksum() throws IOException {
    List<String> options = Files.readAllLines(Command.root().resolve(".mvn/maven.config"));
    assertTrue(options.contains("-C"), options.toString());
  }

  @Test
  void everyLibraryIsInTheTable() throws IOException {
    if (WRITE) {
      page().with("libraries", libraries()).write();
    }
    Map<String, String> written = new TreeMap<>();
    for (List<String> row : rows("libraries")) {
      written.put(new Component(row.getFirst(), row.get(1), row.get(2)).jar(), row.getLast());
    }
    Map<String, Set<String>> packaged = new TreeMap<>();
    for (PackagedService service : PackagedService.ALL) {
      service.libraries().forEach(jar -> add(packaged, jar, service.name()));
    }
    assertEquals(lines(named(packaged)), lines(written), "run make supply");
  }

  @Test
  void everyLicenceIsAccepted() throws IOException {
    List<String> refused = new ArrayList<>();
    for (List<String> row : rows("libraries")) {
      if (Stream.of(row.get(2).split(" or ", -1)).noneMatch(ACCEPTED::contains)) {
        refused.add(row.getFirst() + ": " + row.get(2));
      }
    }
    assertEquals(List.of(), refused);
  }

  @Test
  void noClassIsThereTwice() throws IOException {
    for (PackagedService service : PackagedService.ALL) {
      Map<String, List<String>> classes = service.classes();
      assertTrue(!classes.isEmpty(), service.name());
      classes.values().removeIf(jars -> jars.size() == 1);
      assertEquals(Map.of(), classes, service.name());
    }
  }

  /// Versions are not compared, because Debian updates its packages.
  @Test
  @Tag("tools")
  void everyPackageOfTheImagesIsInTheTable() throws IOException {
    Map<String, Set<String>> images = new TreeMap<>();
    Map<String, String> versions = new TreeMap<>();
    for (PackagedService service : PackagedService.ALL) {
      packages(service)
          .forEach((name, version) -> {
            add(images, name, service.name());
            versions.put(name, version);
          });
    }
    if (WRITE) {
      List<List<String>> table = table(PACKAGE_HEAD);
      named(images).forEach((name, in) -> table.add(List.of(name, versions.get(name), in)));
      page().with("packages", table).write();
    }
    Map<String, String> written = new TreeMap<>();
    rows("packages").forEach(row -> written.put(row.getFirst(), row.getLast()));
    assertEquals(lines(named(images)), lines(written), "run make supply");
  }

  /// Returns the table of libraries from the bills of materials. Fails the test if a bill of
  /// materials does not match the packaged files.
  private static List<List<String>> libraries() throws IOException {
    Map<String, Component> components = new TreeMap<>();
    Map<String, Set<String>> services = new TreeMap<>();
    for (PackagedService service : PackagedService.ALL) {
      Set<String> billed = new HashSet<>();
      for (Component component : Component.of(service.name())) {
        if (!NOT_PACKAGED.contains(component.name())) {
          billed.add(component.jar());
          components.put(component.name(), component);
          add(services, component.name(), service.name());
        }
      }
      assertEquals(
          new TreeSet<>(service.libraries()), new TreeSet<>(billed), "bill of " + service.name());
    }
    List<List<String>> table = table(LIBRARY_HEAD);
    named(services)
        .forEach((name, in) -> {
          Component component = Objects.requireNonNull(components.get(name));
          table.add(List.of(name, component.version(), component.licence(), in));
        });
    return table;
  }

  /// Returns the versions of Debian's packages in an image, by package name. Removes the version
  /// from the name of a kernel's package.
  private static Map<String, String> packages(PackagedService service) throws IOException {
    Path root = ContainerImage.of(service.name()).root();
    Map<String, String> versions = new TreeMap<>();
    try (Stream<Path> files = Files.list(root.resolve("var/lib/dpkg/status.d"))) {
      for (Path file : files.toList()) {
        String version =
            Files.readAllLines(file).stream()
                .filter(line -> line.startsWith("Version: "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(file + " has no version"));
        versions.put(
            String.valueOf(file.getFileName()).replaceFirst(KERNEL_VERSION, ""),
            version.substring("Version: ".length()));
      }
    }
    return versions;
  }

  private static Document page() throws IOException {
    return Document.read(Command.root().resolve("docs/supply-chain.md"));
  }

  private static List<List<String>> rows(String section) throws IOException {
    List<List<String>> table = page().table(section);
    assertTrue(table.size() > HEAD_ROWS, () -> section + " has no rows");
    return table.subList(HEAD_ROWS, table.size());
  }

  private static List<List<String>> table(List<String> head) {
    List<List<String>> table = new ArrayList<>();
    table.add(head);
    table.add(head.stream().map(_ -> "---").toList());
    return table;
  }

  private static void add(Map<String, Set<String>> users, String used, String service) {
    users.computeIfAbsent(used, _ -> new TreeSet<>()).add(service);
  }

  /// Returns the services of each component as the tables list them: names, or `all`.
  private static Map<String, String> named(Map<String, Set<String>> users) {
    Map<String, String> named = new TreeMap<>();
    users.forEach((used, services) ->
        named.put(
            used,
            services.size() == PackagedService.ALL.size() ? "all" : String.join(", ", services)));
    return named;
  }

  /// Returns one line per row, so that differences are readable.
  private static String lines(Map<String, String> users) {
    return String.join("\n", users.entrySet().stream().map(Object::toString).toList());
  }
}
