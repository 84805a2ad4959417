package dev.pvcpopulators.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.pvcpopulators.kubernetes.check.Checks;
import dev.pvcpopulators.kubernetes.manifest.Kubectl;
import dev.pvcpopulators.kubernetes.manifest.ManifestTree;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Project;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.StrictYaml;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that each patch of a component has an effect, because kustomize ignores a patch that
/// selects nothing. In a copy of the tree, the test makes an overlay with the base and a dynamic
/// source of each service. If the test removes a single patch, the rendering must change.
@Tag("tools")
class PatchesTest {
  private static final List<String> OF_EVERY_POD =
      List.of("dynamic-source", "restricted", "images");

  /// Components that can be combined with each other, and with the base and the dynamic source of
  /// each service. The bases and dynamic sources in the overlay do not contain these components.
  private static final List<String> OPTIONS =
      List.of("tls", "token-review", "registry-credentials", "registry-authority");

  private final Path root;

  PatchesTest(@TempDir Path root) throws IOException {
    this.root = root;
    for (String room : List.of("base", "components")) {
      copy(Project.MANIFESTS.resolve(room), root.resolve(room));
    }
    for (PopulatorService service : PopulatorService.all()) {
      Path example = Project.MANIFESTS.resolve("examples/dynamic-source-" + service.id());
      copy(example, root.resolve("all").resolve(service.id()));
      Files.delete(root.resolve("all").resolve(service.id()).resolve("kustomization.yaml"));
    }
  }

  @Test
  @Tag("nightly")
  void everyPatchOfAComponentChangesSomething() throws IOException {
    for (Path component : ManifestTree.of(Project.MANIFESTS).components()) {
      String name = String.valueOf(component.getFileName());
      Path file = root.resolve("components").resolve(name).resolve("kustomization.yaml");
      String text = Files.readString(file);
      JsonNode document = StrictYaml.documents(text).getFirst();
      int patches = document.path("patches").size();
      String all = patches == 0 ? "" : render(Set.of(name));
      for (int index = 0; index < patches; index++) {
        JsonNode without = document.deepCopy();
        JsonNode left = ((ArrayNode) without.path("patches")).remove(index);
        // JSON is a subset of YAML.
        Files.writeString(file, without.toString());
        // If assertNotEquals failed, it would print the whole rendering.
        assertFalse(all.equals(render(Set.of(name))), name + " is the same without " + left);
      }
      Files.writeString(file, text);
    }
  }

  @Test
  void everythingTogetherAgreesWithTheCode() throws IOException {
    Rendering rendering = Rendering.of("all", render(Set.copyOf(OPTIONS)));
    Surroundings surroundings = Surroundings.of(List.of(rendering), Project.readme());
    List<String> faults =
        Checks.ALL.values().stream()
            .flatMap(check -> check.faults(rendering, surroundings).stream())
            .toList();
    assertEquals(List.of(), faults);
    assertFalse(rendering.workloads().isEmpty());
  }

  private String render(Set<String> components) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("apiVersion: kustomize.config.k8s.io/v1beta1");
    lines.add("kind: Kustomization");
    lines.add("namespace: vm-disks");
    lines.add("resources:");
    for (PopulatorService service : PopulatorService.all()) {
      lines.add("- ../base/" + service.id());
      lines.add("- " + service.id() + "/pod.yaml");
      lines.add("- " + service.id() + "/persistent-volume-claim.yaml");
    }
    lines.add("components:");
    Set<String> ordered = new LinkedHashSet<>(OF_EVERY_POD);
    ordered.addAll(components);
    ordered.forEach(component -> lines.add("- ../components/" + component));
    Files.write(root.resolve("all/kustomization.yaml"), lines);
    return Kubectl.kustomize(root.resolve("all")).ok().out();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> walk = Files.walk(from)) {
      for (Path path : walk.toList()) {
        Path copied = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(copied);
        } else {
          Files.copy(path, copied);
        }
      }
    }
  }
}
