package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.registry.SourceReference;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedRegistriesTest {
  @ParameterizedTest
  @CsvSource({
    "registry.example, registry.example/a/b:v1, true",
    "registry.example, REGISTRY.example:443/a/b, true",
    "registry.example:443, registry.example/a/b, true",
    "registry.example, registry.example:80/a/b, false",
    "registry.example, registry.example:5000/a, false",
    "registry.example, other.example/registry.example/a, false",
    "registry.example, registry.example.other.example/a, false",
    "registry.example, sub.registry.example/a, false",
    "registry.example/team, registry.example/team/disk@sha256:%s, true",
    "registry.example/team, registry.example/team, true",
    "registry.example/team, registry.example/teams/disk, false",
    "registry.example/team, registry.example/other/team/disk, false",
    "docker.io, debian, true",
    "docker.io/library, index.docker.io/library/debian, true",
    "registry-1.docker.io, debian, true",
    "docker.io/library, someone/disk, false",
    "plain.example, plain.example:80/a, true",
    "plain.example:80, plain.example/a, true",
    "plain.example, plain.example:443/a, true",
  })
  void allowsOnlyListedRegistries(String place, String image, boolean expected) {
    ChosenOptions options =
        ChosenOptions.defaults()
            .withInsecureRegistries(Set.of("plain.example"))
            .withAllowedRegistries(List.of("unrelated.example", place));
    assertEquals(expected, options.options().allows(remote(image.formatted("0".repeat(64)))));
  }

  @Test
  void allowsAllWhereNothingIsListed() throws IOException {
    RegistryStore.open(remote("anywhere.example/a"), ChosenOptions.defaults().options()).close();
  }

  @Test
  void opensNoStoreOfAnother() {
    ChosenOptions options =
        ChosenOptions.defaults().withAllowedRegistries(List.of("registry.example"));
    assertThrows(
        SourceDeniedException.class,
        () -> RegistryStore.open(remote("127.0.0.1:1/a"), options.options()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "https://registry.example", "a b", "registry.example/", "/a"})
  void takesNoOtherNotation(String place) {
    ChosenOptions options = ChosenOptions.defaults();
    assertThrows(
        IllegalArgumentException.class, () -> options.withAllowedRegistries(List.of(place)));
  }

  private static SourceReference.Remote remote(String image) {
    return (SourceReference.Remote) SourceReference.parse("docker://" + image);
  }
}
