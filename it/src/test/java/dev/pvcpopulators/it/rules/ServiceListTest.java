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

/// `service-parent/services/pom.xml` is the only list of services: any other file that names all of
/// them would have to be changed for a new service.
final class ServiceListTest {
  /// Files that may name all services, with the reason. Pages below `docs/` may, too.
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          Map.entry("service-parent/services/pom.xml", "the list"),
          Map.entry("README.md", "says what each service is for"),
          Map.entry("ARCHITECTURE.md", "a row a module"),
          Map.entry("CHANGELOG.md", "tells what changed in each"),
          Map.entry("bench/README.md", "figures of each"),
          Map.entry("kubernetes/README.md", "says how to run each"),
          Map.entry("kubernetes/images/README.md", "figures of each image"),
          Map.entry(
              "kubernetes/components/images/kustomization.yaml", "kustomize has no other file"),
          Map.entry(
              "operator/src/main/java/dev/pvcpopulators/operator/child/JobSettings.java",
              "which settings are another service's; the operator reads no build files"),
          Map.entry("it/demo.sh", "what it shows of each service is a story of its own"),
          Map.entry(
              "it/src/test/java/dev/pvcpopulators/it/contract/JourneysTest.java",
              "what it does with each service is a story of its own"),
          Map.entry(
              "it/operator/src/test/java/dev/pvcpopulators/it/operator/DynamicVolumeTest.java",
              "the body of the request to each, and the answer"),
          Map.entry(
              "it/torture/src/test/java/dev/pvcpopulators/it/torture/TortureTest.java",
              "the rounds that were chosen for each"));

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
