package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RegistryOptionsTest {
  /// The client compares an insecure registry with the host and port of a request, so a value with
  /// a path would never match.
  @Test
  void refusesAnInsecureRegistryWithAPrefix() {
    RegistryOptions.of(Set.of("mirror.example:5000"), List.of(), Map.of());
    IllegalArgumentException thrown =
        assertThrows(
            IllegalArgumentException.class,
            () -> RegistryOptions.of(Set.of("mirror.example:5000/team"), List.of(), Map.of()));
    assertEquals("Expected HOST[:PORT], found 'mirror.example:5000/team'", thrown.getMessage());
  }
}
