package dev.pvcpopulators.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kubernetes.manifest.MalformedManifestException;
import dev.pvcpopulators.kubernetes.manifest.ManifestTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that `ManifestTree` finds the directories of manifests, and reports the files that no
/// kustomization names.
class ManifestTreeTest {
  private final Path root;

  ManifestTreeTest(@TempDir Path root) {
    this.root = root;
  }

  @BeforeEach
  void makeTree() throws IOException {
    write("base/one/kustomization.yaml", "kind: Kustomization\nresources: [a.yaml]\n");
    write("base/one/a.yaml", "kind: ConfigMap\n");
    write("components/part/kustomization.yaml", "kind: Component\npatches: [{path: p.yaml}]\n");
    write("components/part/p.yaml", "kind: Deployment\n");
    write(
        "examples/two/kustomization.yaml",
        "kind: Kustomization\nresources: [../../base/one]\ncomponents: [../../components/part]\n");
  }

  @Test
  void findsOverlaysAndComponents() throws IOException {
    ManifestTree tree = ManifestTree.of(root);
    assertEquals(List.of(root.resolve("base/one"), root.resolve("examples/two")), tree.overlays());
    assertEquals(List.of(root.resolve("components/part")), tree.components());
    assertEquals(List.of(), tree.strays());
    assertEquals(List.of(), tree.unused());
  }

  @Test
  void findsUnreferencedFiles() throws IOException {
    Path stray = write("base/one/forgotten.yml", "kind: ConfigMap\n");
    assertEquals(List.of(stray), ManifestTree.of(root).strays());
  }

  @Test
  void findsUnusedComponents() throws IOException {
    write("components/lonely/kustomization.yaml", "kind: Component\n");
    write("components/lonelier/kustomization.yaml", "kind: Component\ncomponents: [../lonely]\n");
    assertEquals(
        List.of(root.resolve("components/lonelier"), root.resolve("components/lonely")),
        ManifestTree.of(root).unused());
  }

  @Test
  void refusesAKustomizationOfAnotherKind() throws IOException {
    write("examples/three/kustomization.yaml", "resources: [a.yaml]\n");
    MalformedManifestException refused =
        assertThrows(MalformedManifestException.class, () -> ManifestTree.of(root));
    String said = String.valueOf(refused.getMessage());
    assertTrue(said.contains("expected a Kustomization or a Component"), said);
  }

  private Path write(String name, String text) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.resolveSibling(""));
    return Files.writeString(file, text);
  }
}
