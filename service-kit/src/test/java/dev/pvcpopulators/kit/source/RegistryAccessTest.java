package dev.pvcpopulators.kit.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RegistryAccessTest {
  @Test
  void readsMirrors() {
    assertEquals(Map.of(), RegistryAccess.mirrors(" "));
    assertEquals(
        Map.of("docker.io", List.of("a:5000", "b/prefix"), "quay.io", List.of("c")),
        RegistryAccess.mirrors("Docker.io=a:5000,b/prefix  quay.io=c"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"docker.io", "docker.io=", "=mirror", "docker.io=,"})
  void refusesMirrorsWithoutASide(String text) {
    assertThrows(IllegalArgumentException.class, () -> RegistryAccess.mirrors(text));
  }
}
