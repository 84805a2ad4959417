package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MirrorTest {
  private final Content content = Content.random(new Random(4), 100_000);
  private final Content manifest = Content.of("{\"schemaVersion\": 2}".getBytes(UTF_8));

  @Test
  void asksTheMirrorsInOrderAndTheRegistryLast() throws IOException {
    try (FaultyRegistry first = new FaultyRegistry((request, reply) -> reply.send(404, ""));
        FaultyRegistry second = serving();
        FaultyRegistry registry = serving();
        RegistryStore store = registry.store(options(registry, first, second))) {
      assertEquals(manifest.descriptor().digest(), store.root().digest());
      assertArrayEquals(content.bytes(), read(store));
      assertEquals(2, first.requests().size());
      assertEquals(2, second.requests().size());
      assertEquals(List.of(), registry.requests());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 403, 404, 429, 503})
  void goesOnWhereAMirrorFails(int status) throws IOException {
    try (FaultyRegistry mirror =
            new FaultyRegistry((request, reply) -> reply.send(status, "", "Retry-After: 0"));
        FaultyRegistry registry = serving();
        RegistryStore store = registry.store(options(registry, mirror))) {
      assertEquals(manifest.descriptor().digest(), store.root().digest());
      assertArrayEquals(content.bytes(), read(store));
    }
  }

  @Test
  void goesOnByRangeWhereAMirrorBreaksOff() throws IOException {
    try (FaultyRegistry mirror =
            new FaultyRegistry((request, reply) -> {
              if (request.offset() > 0) {
                reply.reset();
              } else {
                reply.blob(request, content.bytes(), 40_000);
              }
            });
        FaultyRegistry registry = serving();
        RegistryStore store = registry.store(options(registry, mirror))) {
      assertArrayEquals(content.bytes(), read(store));
      assertEquals(List.of("bytes=40000-"), registry.seen("range"));
    }
  }

  @Test
  void takesNoOtherManifestForADigest() throws IOException {
    try (FaultyRegistry mirror =
            new FaultyRegistry((request, reply) -> reply.send(200, "{\"schemaVersion\": 3}"));
        FaultyRegistry registry = serving();
        RegistryStore store = registry.store(options(registry, mirror))) {
      assertEquals(manifest.descriptor().digest(), store.manifest(manifest.descriptor()).digest());
    }
  }

  @Test
  void takesNoOtherLengthForABlob() throws IOException {
    try (FaultyRegistry mirror =
            new FaultyRegistry(
                (request, reply) -> reply.send(200, Arrays.copyOf(content.bytes(), 99_999)));
        FaultyRegistry registry = serving();
        RegistryStore store = registry.store(options(registry, mirror))) {
      assertArrayEquals(content.bytes(), read(store));
    }
  }

  @Test
  void keepsThePasswordFromMirrors() throws IOException {
    try (FaultyRegistry mirror =
            new FaultyRegistry(
                (request, reply) -> reply.send(401, "", "WWW-Authenticate: Basic realm=\"m\""));
        FaultyRegistry registry = serving();
        RegistryStore store =
            registry.store(
                options(registry, mirror)
                    .withCredentials(GivenCredentials.password("user", "s3cret")))) {
      assertArrayEquals(content.bytes(), read(store));
      assertEquals(List.of(""), mirror.seen("authorization"));
    }
  }

  @Test
  void putsTheMirrorsPrefixBeforeTheName() throws IOException {
    try (FaultyRegistry mirror = serving();
        FaultyRegistry registry = serving();
        RegistryStore store =
            registry.store(
                options(registry, mirror)
                    .withMirrors(
                        Map.of(registry.authority(), List.of(mirror.authority() + "/a/b"))))) {
      store.root();
      assertEquals("/v2/a/b/some/disk/manifests/latest", mirror.requests().getFirst().target());
    }
  }

  @Test
  void reportsAnswersOfRegistryAndMirrors() throws IOException {
    try (FaultyRegistry mirror = new FaultyRegistry((request, reply) -> reply.send(403, ""));
        FaultyRegistry registry = new FaultyRegistry((request, reply) -> reply.send(404, ""));
        RegistryStore store = registry.store(options(registry, mirror))) {
      SourceNotFoundException thrown = assertThrows(SourceNotFoundException.class, store::root);
      assertEquals(1, thrown.getSuppressed().length);
    }
  }

  private FaultyRegistry serving() throws IOException {
    return new FaultyRegistry((request, reply) -> {
      if (request.target().contains("/manifests/")) {
        reply.send(200, manifest.bytes());
      } else {
        reply.blob(request, content.bytes(), 100_000);
      }
    });
  }

  private static ChosenOptions options(FaultyRegistry registry, FaultyRegistry... mirrors) {
    Set<String> all = new HashSet<>(Set.of(registry.authority()));
    List<String> places = Arrays.stream(mirrors).map(FaultyRegistry::authority).toList();
    all.addAll(places);
    return registry
        .options()
        .withInsecureRegistries(all)
        .withMirrors(Map.of(registry.authority(), places));
  }

  private byte[] read(RegistryStore store) throws IOException {
    try (InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      return blob.readAllBytes();
    }
  }
}
