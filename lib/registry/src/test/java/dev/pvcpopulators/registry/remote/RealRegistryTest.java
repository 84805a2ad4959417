package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealRegistryTest {
  private static final String NO_TLS = "--dest-tls-verify=false";

  @TempDir Path directory;

  private final byte[] disk = new byte[5_000_000];

  RealRegistryTest() {
    new Random(6).nextBytes(disk);
  }

  @Test
  @Tag("tools")
  void pullsImagesOfSkopeo() throws IOException {
    try (RealRegistry registry = RealRegistry.start(directory, "", "")) {
      ChosenOptions options =
          ChosenOptions.defaults().withInsecureRegistries(Set.of(registry.authority()));
      for (String format : new String[] {"oci", "v2s2"}) {
        registry.push("a/disk:" + format, disk, NO_TLS, "--format", format);
        assertPulls(registry.reference("a/disk:" + format), options);
      }
    }
  }

  @Test
  @Tag("tools")
  void findsExistingBlobsByDigest() throws IOException {
    try (RealRegistry registry = RealRegistry.start(directory, "", "")) {
      ChosenOptions options =
          ChosenOptions.defaults().withInsecureRegistries(Set.of(registry.authority()));
      registry.push("disk:v1", disk, NO_TLS);
      Digest digest;
      try (RegistryStore store =
          RegistryStore.open(registry.reference("disk:v1"), options.options())) {
        digest = store.root().digest();
        Descriptor missing = Content.of(new byte[1]).descriptor();
        assertThrows(SourceNotFoundException.class, () -> read(store, missing));
        assertThrows(SourceNotFoundException.class, () -> store.manifest(missing));
      }
      try (RegistryStore store =
          RegistryStore.open(registry.reference("disk@" + digest), options.options())) {
        assertEquals(digest, store.root().digest());
      }
      for (String unknown : new String[] {"disk:v2", "other:v1"}) {
        try (RegistryStore store =
            RegistryStore.open(registry.reference(unknown), options.options())) {
          assertThrows(SourceNotFoundException.class, store::root);
        }
      }
    }
  }

  @Test
  @Tag("tools")
  void reachesARegistryByHttpOnlyWhereItIsListed() throws IOException {
    try (RealRegistry registry = RealRegistry.start(directory, "", "");
        RegistryStore store =
            RegistryStore.open(
                registry.reference("disk:v1"),
                ChosenOptions.defaults().withSettings("REGISTRY_COPY_").options())) {
      // Each retry would fail in the same way, so the exception must not be retryable.
      String message = assertThrows(SourceDeniedException.class, store::root).toString();
      assertTrue(
          message.contains(
              "list " + registry.authority() + " in REGISTRY_COPY_INSECURE_REGISTRIES"),
          message);
    }
  }

  @Test
  @Tag("tools")
  void asksNoRegistryOnThisMachineThatAClientChose() throws IOException {
    CertificateAuthority authority = CertificateAuthority.in(directory);
    authority.sign("inside", "DNS:vault.prod.internal");
    try (RealRegistry registry = RealRegistry.start(directory, "", tls("inside"))) {
      ChosenOptions options =
          ChosenOptions.defaults()
              .withRetries(0)
              .withSettings("X_")
              .withCaBundle(authority.certificate());
      SourceReference.Remote named = registry.reference("disk:v1");
      try (RegistryStore store =
          RegistryStore.open(named, options.withChosenByClient(true).options())) {
        String message = assertThrows(SourceDeniedException.class, store::root).toString();
        assertTrue(
            message.contains("on this machine; to permit it, list it in X_ALLOWED"), message);
      }
      // The store contacts a registry that a setting names, and refuses the registry's certificate.
      // The exception's message must not show the names in the certificate.
      ChosenOptions listed =
          options.withChosenByClient(true).withAllowedRegistries(List.of(named.registry()));
      for (ChosenOptions let : List.of(listed, options)) {
        try (RegistryStore store = RegistryStore.open(named, let.options())) {
          String message = unavailable(store);
          assertTrue(message.contains("certificate is for another host"), message);
          assertFalse(message.contains("vault"), message);
        }
      }
    }
  }

  @Test
  @Tag("tools")
  void trustsAPrivateAuthorityWhereItIsGiven() throws IOException {
    CertificateAuthority authority = CertificateAuthority.in(directory);
    authority.sign("right", "IP:127.0.0.1");
    authority.sign("wrong", "DNS:registry.example");
    Path bundle = directory.resolve("bundle.pem");
    CertificateAuthority other =
        CertificateAuthority.in(Files.createDirectory(directory.resolve("other")));
    Files.writeString(
        bundle,
        "# two authorities\n"
            + Files.readString(other.certificate())
            + Files.readString(authority.certificate()));
    ChosenOptions trusting = ChosenOptions.defaults().withCaBundle(bundle);

    try (RealRegistry registry = RealRegistry.start(directory, "", tls("right"))) {
      registry.push("disk:v1", disk, NO_TLS);
      assertPulls(registry.reference("disk:v1"), trusting);
      try (RegistryStore store =
          RegistryStore.open(registry.reference("disk:v1"), ChosenOptions.defaults().options())) {
        assertTrue(unavailable(store).contains("CA bundle"));
      }
      try (RegistryStore store =
          RegistryStore.open(
              registry.reference("disk:v1"),
              ChosenOptions.defaults().withCaBundle(other.certificate()).options())) {
        assertTrue(unavailable(store).contains("CA bundle"));
      }
    }
    try (RealRegistry registry = RealRegistry.start(directory, "", tls("wrong"));
        RegistryStore store =
            RegistryStore.open(registry.reference("disk:v1"), trusting.options())) {
      assertTrue(unavailable(store).contains("another host"));
    }
  }

  @Test
  void refusesABundleThatIsNone() throws IOException {
    SourceReference.Remote reference =
        (SourceReference.Remote) SourceReference.parse("docker://127.0.0.1:1/disk");
    Path missing = directory.resolve("missing.pem");
    Path empty = Files.createFile(directory.resolve("empty.pem"));
    Path broken =
        Files.writeString(
            directory.resolve("broken.pem"),
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    for (Path bundle : new Path[] {missing, empty, broken}) {
      ChosenOptions options = ChosenOptions.defaults().withCaBundle(bundle);
      assertThrows(
          IllegalArgumentException.class, () -> RegistryStore.open(reference, options.options()));
    }
  }

  @Test
  @Tag("tools")
  void reportsAnAddressWithoutAListener() throws IOException {
    RealRegistry registry = RealRegistry.start(directory, "", "");
    registry.close();
    try (RegistryStore store =
        RegistryStore.open(
            registry.reference("disk:v1"), ChosenOptions.defaults().withRetries(1).options())) {
      String message = unavailable(store);
      assertTrue(message.contains("2 attempts") && message.contains(registry.authority()), message);
    }
  }

  private String tls(String name) {
    return "  tls:\n    certificate: \""
        + directory.resolve(name + ".pem")
        + "\"\n    key: \""
        + directory.resolve(name + ".key")
        + "\"\n";
  }

  private static String unavailable(RegistryStore store) {
    return String.valueOf(assertThrows(SourceUnavailableException.class, store::root).getMessage());
  }

  private void assertPulls(SourceReference.Remote reference, ChosenOptions options)
      throws IOException {
    try (RegistryStore store = RegistryStore.open(reference, options.options())) {
      RawManifest manifest = store.root();
      JsonNode layer = manifest.document().path("layers").path(0);
      Descriptor descriptor =
          new Descriptor(
              layer.path("mediaType").asText(),
              Digest.parse(layer.path("digest").asText()),
              layer.path("size").asLong(),
              Map.of());
      byte[] blob = read(store, descriptor);
      assertEquals(descriptor.digest().toString(), Content.sha256(blob));
      try (TarArchiveInputStream tar =
          new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(blob)))) {
        assertEquals("disk/disk.img", tar.getNextEntry().getName());
        assertArrayEquals(disk, tar.readAllBytes());
      }
    }
  }

  private static byte[] read(RegistryStore store, Descriptor descriptor) throws IOException {
    AtomicLong heard = new AtomicLong();
    TransferListener listener = heard::addAndGet;
    try (InputStream blob = store.blob(descriptor, listener)) {
      byte[] bytes = blob.readAllBytes();
      assertEquals(bytes.length, heard.get());
      return bytes;
    }
  }
}
