package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.http.DigestMismatchException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.RegistryLimits;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestFaultsTest {
  private static final String OCI = "application/vnd.oci.image.manifest.v1+json";

  private final Content manifest = Content.of("{\"schemaVersion\": 2}".getBytes(UTF_8));

  @Test
  void tellsTypeAndDigest() throws IOException {
    try (FaultyRegistry registry = serving(manifest.bytes(), "Content-Type: " + OCI + "; q=1");
        RegistryStore store = registry.store()) {
      RawManifest found = store.root();
      assertEquals(OCI, found.mediaType());
      assertEquals(manifest.descriptor().digest(), found.digest());
      assertEquals(2, found.document().path("schemaVersion").asInt());
      assertEquals("/v2/some/disk/manifests/latest", registry.requests().getFirst().target());
      String accepted = registry.seen("accept").getFirst();
      assertTrue(accepted.contains(OCI) && accepted.contains("manifest.list.v2"), accepted);
      assertEquals("pvc-populators", registry.seen("user-agent").getFirst());
    }
  }

  @Test
  void triesAgainWhereTheConnectionIsCut() throws IOException {
    AtomicInteger attempt = new AtomicInteger();
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) ->
                reply.blob(request, manifest.bytes(), attempt.getAndIncrement() < 2 ? 5 : 1_000));
        RegistryStore store = registry.store()) {
      assertEquals(manifest.descriptor().digest(), store.root().digest());
    }
  }

  @Test
  void refusesContentWithAnotherDigest() throws IOException {
    byte[] other = "{\"schemaVersion\": 3}".getBytes(UTF_8);
    try (FaultyRegistry registry = serving(other);
        RegistryStore store = registry.store()) {
      assertThrows(DigestMismatchException.class, () -> store.manifest(manifest.descriptor()));
    }
  }

  @Test
  void namesACodingThatWasAddedOnTheWay() throws IOException {
    byte[] other = "{\"schemaVersion\": 3}".getBytes(UTF_8);
    for (byte[] body : List.of(other, new byte[manifest.bytes().length])) {
      try (FaultyRegistry registry = serving(body, "Content-Encoding: gzip");
          RegistryStore store = registry.store()) {
        String message =
            String.valueOf(
                assertThrows(
                        DigestMismatchException.class, () -> store.manifest(manifest.descriptor()))
                    .getMessage());
        assertTrue(message.contains("Content-Encoding gzip"), message);
      }
    }
  }

  @Test
  void refusesASizeThatIsNotTheDescriptors() throws IOException {
    Descriptor descriptor =
        new Descriptor(OCI, manifest.descriptor().digest(), manifest.bytes().length + 1, Map.of());
    try (FaultyRegistry registry = serving(manifest.bytes());
        RegistryStore store = registry.store()) {
      assertThrows(DigestMismatchException.class, () -> store.manifest(descriptor));
    }
  }

  @Test
  void refusesContentThatContradictsTheRegistrysDigest() throws IOException {
    String header = "Docker-Content-Digest: " + Content.sha256(new byte[1]);
    try (FaultyRegistry registry = serving(manifest.bytes(), header);
        RegistryStore store = registry.store()) {
      assertThrows(DigestMismatchException.class, store::root);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sha384:00", "nonsense", ""})
  void passesOverDigestsItCannotCheck(String digest) throws IOException {
    try (FaultyRegistry registry = serving(manifest.bytes(), "Docker-Content-Digest: " + digest);
        RegistryStore store = registry.store()) {
      assertEquals(manifest.descriptor().digest(), store.root().digest());
    }
  }

  @Test
  void boundsTheLength() throws IOException {
    byte[] longest = new byte[RegistryLimits.MANIFEST_LENGTH];
    Arrays.fill(longest, (byte) ' ');
    longest[0] = '{';
    longest[1] = '}';
    try (FaultyRegistry registry = serving(longest);
        RegistryStore store = registry.store()) {
      assertEquals(0, store.root().document().size());
    }
    try (FaultyRegistry registry = serving(Arrays.copyOf(longest, longest.length + 1));
        RegistryStore store = registry.store()) {
      assertThrows(MalformedImageException.class, store::root);
    }
  }

  @Test
  void refusesAManifestOf100MegabytesAtOnce() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reply.head(200, "Content-Length: 100000000");
              for (int block = 0; block < 100; block++) {
                reply.bytes(new byte[1_000_000]);
              }
            });
        RegistryStore store = registry.store()) {
      assertThrows(MalformedImageException.class, store::root);
      assertEquals(1, registry.requests().size());
    }
  }

  @Test
  void refusesAManifestWithoutEnd() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reply.head(200, "Transfer-Encoding: chunked");
              while (true) {
                reply.chunk(new byte[100_000]);
              }
            });
        RegistryStore store = registry.store()) {
      assertThrows(MalformedImageException.class, store::root);
    }
  }

  @Test
  void waitsForNoEndOfAnError() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reply.head(404, "Transfer-Encoding: chunked");
              while (true) {
                reply.chunk(new byte[100_000]);
              }
            });
        RegistryStore store = registry.store()) {
      assertThrows(SourceNotFoundException.class, store::root);
    }
  }

  @Test
  void refusesAHeadWithoutEnd() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reply.bytes("HTTP/1.1 200 OK\r\n".getBytes(UTF_8));
              while (true) {
                reply.bytes("X-More: and more\r\n".getBytes(UTF_8));
              }
            });
        RegistryStore store = registry.store()) {
      assertThrows(SourceUnavailableException.class, store::root);
      assertEquals(1, registry.requests().size());
    }
  }

  @Test
  void refusesALineWithoutEnd() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reply.bytes("HTTP/1.1 200 OK\r\nX-Long: ".getBytes(UTF_8));
              while (true) {
                reply.bytes(new byte[1_000]);
              }
            });
        RegistryStore store = registry.store()) {
      assertThrows(SourceUnavailableException.class, store::root);
      assertEquals(1, registry.requests().size());
    }
  }

  @Test
  void refusesAnswersThatAreNotHttp() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              reply.bytes("220 smtp.example ESMTP\r\n".getBytes(UTF_8));
              reply.bytes(new byte[100_000]);
            });
        RegistryStore store = registry.store()) {
      assertThrows(SourceUnavailableException.class, store::root);
    }
  }

  @Test
  void refusesDockerSchema1() throws IOException {
    byte[] old = "{\"schemaVersion\": 1, \"fsLayers\": []}".getBytes(UTF_8);
    String type = "Content-Type: application/vnd.docker.distribution.manifest.v1+prettyjws";
    for (String header : new String[] {type, "Content-Type: application/json"}) {
      try (FaultyRegistry registry = serving(old, header);
          RegistryStore store = registry.store()) {
        assertThrows(UnsupportedFeatureException.class, store::root);
      }
    }
  }

  @Test
  void namesMissingFiles() throws IOException {
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) ->
                reply.send(404, "{\"errors\":[{\"code\":\"MANIFEST_UNKNOWN\"}]}"));
        RegistryStore store = registry.store()) {
      SourceNotFoundException thrown = assertThrows(SourceNotFoundException.class, store::root);
      String message = String.valueOf(thrown.getMessage());
      assertTrue(
          message.contains("latest")
              && message.contains(registry.authority() + "/some/disk")
              && message.contains("MANIFEST_UNKNOWN"),
          message);
    }
  }

  private static FaultyRegistry serving(byte[] body, String... headers) throws IOException {
    return new FaultyRegistry((request, reply) -> reply.send(200, body, headers));
  }
}
