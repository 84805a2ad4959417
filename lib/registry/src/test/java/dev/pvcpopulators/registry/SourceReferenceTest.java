package dev.pvcpopulators.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceReferenceTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dir:/images/a",
        "containers-storage:localhost/a:1",
        "docker-daemon:a:1",
        "ostree:a@/b",
        "sif:a.sif",
        "tarball:a.tar"
      })
  void otherTransportsAreNoNamesOnTheDefaultRegistry(String reference) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> SourceReference.parse(reference));
    assertTrue(String.valueOf(refused.getMessage()).contains("oci:DIRECTORY"));
  }

  @Test
  void anImageThatIsCalledLikeATransportCanBeNamed() {
    assertEquals(
        "docker://registry-1.docker.io/library/dir:1",
        SourceReference.parse("docker://dir:1").toString());
    assertEquals(
        "docker://registry.example/dir:1",
        SourceReference.parse("registry.example/dir:1").toString());
  }

  @Test
  void anImageOfTheHubsLibraryMayBeNamedWithItsRegistry() {
    for (String registry : new String[] {"docker.io/", "index.docker.io/", "Docker.IO/", ""}) {
      SourceReference.Remote named =
          assertInstanceOf(
              SourceReference.Remote.class, SourceReference.parse(registry + "debian:13"));
      assertEquals("library/debian", named.repository(), registry);
    }
    assertEquals(
        "docker://registry-1.docker.io/someone/debian:13",
        SourceReference.parse("docker.io/someone/debian:13").toString());
    assertEquals(
        "docker://registry.example/debian:13",
        SourceReference.parse("registry.example/debian:13").toString());
  }

  /// A repository name must not have capital letters (OCI distribution specification, "Pulling
  /// manifests"). A host may have capital letters.
  @Test
  void aRepositoryHasNoCapitals() {
    for (String refused : new String[] {"Disks/a:1", "docker://Disks/a", "r.example/Disks/a"}) {
      assertThrows(IllegalArgumentException.class, () -> SourceReference.parse(refused), refused);
    }
    assertEquals(
        "docker://R.example/disks/a:V1", SourceReference.parse("R.example/disks/a:V1").toString());
  }
}
