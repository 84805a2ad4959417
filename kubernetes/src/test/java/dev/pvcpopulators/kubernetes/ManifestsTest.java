package dev.pvcpopulators.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.kubernetes.check.Checks;
import dev.pvcpopulators.kubernetes.manifest.Kubectl;
import dev.pvcpopulators.kubernetes.manifest.MalformedManifestException;
import dev.pvcpopulators.kubernetes.manifest.ManifestTree;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Project;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Checks that every directory of manifests renders, parses strictly, and agrees with the code.
@Tag("tools")
class ManifestsTest {
  private static ManifestTree tree = new ManifestTree(List.of(), List.of(), List.of(), List.of());
  private static List<Rendered> rendered = List.of();

  /// The result of rendering a directory.
  ///
  /// @param rendering the rendering; empty if kustomize fails or prints a warning, or if the output
  ///   of kustomize cannot be parsed
  private record Rendered(Path directory, List<Rendering> rendering, List<String> faults) {}

  @BeforeAll
  static void render() throws IOException, InterruptedException, ExecutionException {
    Kubectl.expectRecent();
    tree = ManifestTree.of(Project.MANIFESTS);
    try (ExecutorService two = Executors.newFixedThreadPool(2)) {
      List<Future<Rendered>> futures = new ArrayList<>();
      for (Path directory : tree.overlays()) {
        futures.add(two.submit(() -> render(directory)));
      }
      List<Rendered> all = new ArrayList<>();
      for (Future<Rendered> future : futures) {
        all.add(future.get());
      }
      rendered = List.copyOf(all);
    }
  }

  private static Rendered render(Path directory) throws IOException {
    Command.Ran ran = Kubectl.kustomize(directory);
    // A warning is also a fault, for example a warning about a deprecated field.
    if (ran.status() != 0 || !ran.err().isEmpty()) {
      return new Rendered(directory, List.of(), List.of(ran.toString()));
    }
    try {
      return new Rendered(directory, List.of(Rendering.of(name(directory), ran.out())), List.of());
    } catch (MalformedManifestException e) {
      return new Rendered(directory, List.of(), List.of(String.valueOf(e.getMessage())));
    }
  }

  private static String name(Path directory) {
    return Project.MANIFESTS.relativize(directory).toString();
  }

  @Test
  void everyYamlFileBelongsToAKustomization() {
    assertEquals(List.of(), tree.strays());
  }

  @Test
  void everyComponentIsUsed() {
    assertEquals(List.of(), tree.unused());
  }

  /// If the directories of the bases were missing, the other tests would pass without a check of
  /// any base.
  @Test
  void everyServiceHasABase() {
    List<String> names = tree.overlays().stream().map(ManifestsTest::name).toList();
    for (PopulatorService service : PopulatorService.all()) {
      assertEquals(true, names.contains("base/" + service.id()), service.id());
    }
  }

  @TestFactory
  Stream<DynamicNode> rendersAndParses() {
    return rendered.stream()
        .map(one ->
            DynamicTest.dynamicTest(
                name(one.directory()), () -> assertEquals(List.of(), one.faults())));
  }

  @TestFactory
  Stream<DynamicNode> agreesWithTheCode() throws IOException {
    List<Rendering> renderings =
        rendered.stream().flatMap(one -> one.rendering().stream()).toList();
    Surroundings surroundings = Surroundings.of(renderings, Project.readme());
    return renderings.stream()
        .flatMap(rendering ->
            Checks.ALL.entrySet().stream()
                .map(check ->
                    DynamicTest.dynamicTest(
                        rendering.name() + ": " + check.getKey(),
                        () ->
                            assertEquals(
                                List.of(), check.getValue().faults(rendering, surroundings)))));
  }
}
