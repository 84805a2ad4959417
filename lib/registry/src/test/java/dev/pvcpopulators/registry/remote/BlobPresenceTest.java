package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.Descriptor;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests requests that ask a registry whether it has a blob that the caller may read.
class BlobPresenceTest {
  private final Descriptor blob = Content.random(new Random(5), 4_000).descriptor();

  private static String length(long bytes) {
    return "Content-Length: " + bytes;
  }

  @Test
  void asksByHeadAndReadsNothing() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> reply.head(200, length(blob.size())));
        RegistryStore store = registry.store()) {
      assertTrue(store.has(blob));
      FaultyRegistry.Request asked = registry.requests().getFirst();
      assertEquals("HEAD", asked.method());
      assertEquals("/v2/some/disk/blobs/" + blob.digest(), asked.target());
    }
  }

  @Test
  void showsTheCredentialsOfAPull() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (request.header("authorization").isEmpty()) {
            reply.head(401, "WWW-Authenticate: Basic realm=\"it\"", length(0));
          } else {
            reply.head(200, length(blob.size()));
          }
        })) {
      Credentials known = GivenCredentials.password("user", "secret");
      try (RegistryStore store = registry.store(registry.options().withCredentials(known))) {
        assertTrue(store.has(blob));
      }
      try (RegistryStore store = registry.store()) {
        assertFalse(store.has(blob));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 404, 410})
  void treatsARefusalAsAbsent(int status) throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> reply.head(status, length(0)));
        RegistryStore store = registry.store()) {
      assertFalse(store.has(blob));
    }
  }

  @Test
  void treatsABlobOfAnotherSizeAsAbsent() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> reply.head(200, length(blob.size() + 1)));
        RegistryStore store = registry.store()) {
      assertFalse(store.has(blob));
    }
  }

  /// The store follows the redirect, and uses the status of the target's response.
  @Test
  void takesTheAnswerOfARedirectsTarget() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              if (request.target().startsWith("/v2/")) {
                reply.head(307, "Location: /storage", length(0));
              } else {
                reply.head(403, length(0));
              }
            });
        RegistryStore store = registry.store()) {
      assertFalse(store.has(blob));
      assertEquals(
          List.of("HEAD", "HEAD"), registry.requests().stream().map(it -> it.method()).toList());
    }
  }

  @Test
  void retriesTemporaryFailures() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              if (asked.getAndIncrement() == 0) {
                reply.head(503, length(0));
              } else {
                reply.head(200, length(blob.size()));
              }
            });
        RegistryStore store = registry.store()) {
      assertTrue(store.has(blob));
    }
  }

  @Test
  void reportsAMissingAnswer() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> reply.head(500, length(0)));
        RegistryStore store = registry.store()) {
      assertThrows(SourceUnavailableException.class, () -> store.has(blob));
    }
  }

  @Test
  void asksTheRegistryWhereAMirrorHasNone() throws IOException {
    try (FaultyRegistry mirror =
            new FaultyRegistry((request, reply) -> reply.head(404, length(0)));
        FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> reply.head(200, length(blob.size())));
        RegistryStore store =
            registry.store(
                registry
                    .options()
                    .withInsecureRegistries(
                        java.util.Set.of(registry.authority(), mirror.authority()))
                    .withMirrors(Map.of(registry.authority(), List.of(mirror.authority()))))) {
      assertTrue(store.has(blob));
    }
  }
}
