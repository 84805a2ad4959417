package dev.pvcpopulators.kit.security;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST", "vm.localhost", "127.0.0.1", "[::1]", "::1"})
  void noStrangerHasThese(String host) {
    assertTrue(LocalName.is(host));
  }

  @Test
  void requestsWithoutAHostAreNotFromABrowser() {
    assertTrue(LocalName.is(null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "1.2.3",
        "a"
      })
  void strangersMayHaveThese(String host) {
    assertFalse(LocalName.is(host));
  }
}
