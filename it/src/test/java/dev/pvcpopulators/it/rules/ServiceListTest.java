package dev.pvcpopulators.it.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Services;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/// Checks that only `service-parent/services/pom.xml` and permitted exceptions name all services. A
/// new service needs a change in each of these files.
final class ServiceListTest {
  /// The files that may name all services, with the reasons. Pages below `docs/` may also name all
  /// services.
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          Map.entry("service-parent/services/pom.xml", "the list"),
          Map.entry("README.md", "gives the purpose of each service"),
          Map.entry("ARCHITECTURE.md", "has a row for each module"),
          Map.entry("CHANGELOG.md", "lists the changes of each service"),
          Map.entry("bench/README.md", "has measurements of each service"),
          Map.entry("kubernetes/README.md", "explains how to run each service"),
          Map.entry("kubernetes/images/README.md", "has measurements of each image"),
          Map.entry(
              "kubernetes/components/images/kustomization.yaml", "kustomize reads no other list"),
          Map.entry(
              "operator/src/main/java/dev/pvcpopulators/operator/child/JobSettings.java",
              "names the settings of each service; the operator reads no build files"),
          Map.entry("it/demo.sh", "shows another use of each service"),
          Map.entry(
              "it/src/test/java/dev/pvcpopulators/it/contract/JourneysTest.java",
              "has other steps for each service"),
          Map.entry(
              "it/operator/src/test/java/dev/pvcpopulators/it/operator/DynamicVolumeTest.java",
              "has another request and answer for each service"),
          Map.entry(
              "it/torture/src/test/java/dev/pvcpopulators/it/torture/TortureTest.java",
              "has a number of rounds for each service"));

  private static final String NOT_SOURCES = "(.*/)?(target|\\.git|node_modules|run-\\w+)(/.*)?";

  @Test
  void noOtherFileNamesAllServices() throws IOException {
    TreeSet<String> found = new TreeSet<>();
    for (Path file : files()) {
      String name = Checkout.name(file);
      if (namesAll(file) && !ALLOWED.containsKey(name) && !name.startsWith("docs/")) {
        found.add(name);
      }
    }
    assertEquals(new TreeSet<>(), found);
  }

  @Test
  void everyExceptionIsNeeded() throws IOException {
    List<String> superfluous = new ArrayList<>();
    for (String name : ALLOWED.keySet()) {
      if (!namesAll(Command.root().resolve(name))) {
        superfluous.add(name);
      }
    }
    assertEquals(List.of(), superfluous);
  }

  @Test
  void everyServiceHasItsFiles() {
    List<String> missing = new ArrayList<>();
    for (String service : Services.names()) {
      for (String file :
          List.of("pom.xml", "run.sh", "train.sh", "image.properties", "README.md")) {
        if (!Files.exists(Command.root().resolve(service).resolve(file))) {
          missing.add(service + "/" + file);
        }
      }
    }
    assertEquals(List.of(), missing);
  }

  /// Returns whether a file names all services, as modules, packages or constants.
  private static boolean namesAll(Path file) throws IOException {
    try {
      String text = Files.readString(file).toLowerCase(Locale.ROOT).replace('_', '-');
      return Services.names().stream()
          .allMatch(name -> text.contains(name) || text.contains(Services.packageOf(name)));
    } catch (MalformedInputException e) {
      // Not a text file.
      return false;
    }
  }

  private static List<Path> files() {
    return Checkout.files().stream()
        .filter(file -> !Checkout.name(file).matches(NOT_SOURCES))
        .toList();
  }
}
