package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.SourceReference;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectTest {
  /// The maximum number of redirects that the client follows.
  private static final int REDIRECTS = 5;

  private static final String BASIC =
      "Basic " + Base64.getEncoder().encodeToString("user:s3cret".getBytes(UTF_8));

  private final Content content = Content.random(new Random(2), 100_000);

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void takesNoCredentialsToAnotherHost(int status) throws IOException {
    AtomicInteger downloads = new AtomicInteger();
    try (FaultyRegistry storage =
            new FaultyRegistry((request, reply) ->
                reply.blob(
                    request, content.bytes(), downloads.getAndIncrement() == 0 ? 5_000 : 100_000));
        FaultyRegistry registry =
            askingForPassword(status, storage.url("/signed?by=a%2Fb&x=%7e"))) {
      ChosenOptions options = withPassword(registry, storage);
      assertArrayEquals(content.bytes(), read(registry, options));
      assertEquals(List.of("", ""), storage.seen("authorization"));
      assertEquals(List.of("", "bytes=5000-"), storage.seen("range"));
      assertEquals("/signed?by=a%2Fb&x=%7e", storage.requests().getFirst().target());
      // The registry challenges the first request. The second request has credentials, and the
      // third request is the resume.
      assertEquals(List.of("", BASIC, BASIC), registry.seen("authorization"));
    }
  }

  @Test
  void keepsThemOnTheSameHost() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (request.header("authorization").isEmpty()) {
            reply.send(401, "", "WWW-Authenticate: Basic realm=\"r\"");
          } else if (request.target().startsWith("/v2/")) {
            reply.send(307, "", "Location: ../../../../elsewhere");
          } else {
            reply.blob(request, content.bytes(), 100_000);
          }
        })) {
      assertArrayEquals(content.bytes(), read(registry, withPassword(registry, registry)));
      assertEquals(List.of("", BASIC, BASIC), registry.seen("authorization"));
    }
  }

  @Test
  void doesNotShowThemAgainWhereAnotherHostLeadsBack() throws IOException {
    String[] back = new String[1];
    try (FaultyRegistry storage =
            new FaultyRegistry((request, reply) -> reply.send(307, "", "Location: " + back[0]));
        FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              if (request.target().equals("/chosen/by/storage")) {
                reply.send(401, "", "WWW-Authenticate: Basic realm=\"r\"");
              } else if (request.header("authorization").isEmpty()) {
                reply.send(401, "", "WWW-Authenticate: Basic realm=\"r\"");
              } else {
                reply.send(307, "", "Location: " + storage.url("/"));
              }
            })) {
      back[0] = registry.url("/chosen/by/storage");
      assertThrows(
          SourceDeniedException.class, () -> read(registry, withPassword(registry, storage)));
      assertEquals(List.of("", BASIC, ""), registry.seen("authorization"));
    }
  }

  @Test
  void endsALoop() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> reply.send(302, "", "Location: /again"))) {
      assertThrows(SourceUnavailableException.class, () -> read(registry, registry.options()));
      assertEquals(1 + REDIRECTS, registry.requests().size());
    }
  }

  @Test
  void followsTheDocumentedNumberOfRedirects() throws IOException {
    AtomicInteger redirects = new AtomicInteger();
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (redirects.getAndIncrement() < REDIRECTS) {
            reply.send(302, "", "Location: /again");
          } else {
            reply.blob(request, content.bytes(), 100_000);
          }
        })) {
      assertArrayEquals(content.bytes(), read(registry, registry.options()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "file:///etc/passwd",
        "ftp://127.0.0.1/x",
        "http://127.0.0.1:1/unlisted",
        "https://user:password@127.0.0.1/",
        "http:///nowhere",
        "http://[bad",
        "a b",
        ""
      })
  void followsNothingElse(String location) throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> reply.send(302, "", "Location: " + location))) {
      SourceUnavailableException thrown =
          assertThrows(SourceUnavailableException.class, () -> read(registry, registry.options()));
      assertFalse(String.valueOf(thrown.getMessage()).contains("password"));
      assertEquals(1, registry.requests().size());
    }
  }

  @Test
  void namesUserInformationAsTheReason() throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry(
            (request, reply) -> reply.send(302, "", "Location: https://user:s3cret@127.0.0.1/"))) {
      SourceUnavailableException thrown =
          assertThrows(SourceUnavailableException.class, () -> read(registry, registry.options()));
      String message = String.valueOf(thrown.getMessage());
      assertTrue(message.contains("redirects to a URL with user information"), message);
      assertFalse(message.contains("s3cret"), message);
    }
  }

  @Test
  @Tag("tools")
  void neverGoesFromHttpsToHttp(@TempDir Path directory) throws IOException {
    CertificateAuthority authority = CertificateAuthority.in(directory);
    authority.sign("registry", "IP:127.0.0.1");
    try (FaultyRegistry storage =
            new FaultyRegistry((request, reply) -> reply.blob(request, content.bytes(), 100_000));
        FaultyRegistry registry =
            new FaultyRegistry(
                (request, reply) -> reply.send(307, "", "Location: " + storage.url("/blob")),
                authority.sockets("registry"),
                "https")) {
      ChosenOptions secure =
          ChosenOptions.defaults().withCaBundle(authority.certificate()).withRetries(0);
      assertThrows(SourceUnavailableException.class, () -> read(registry, secure));
      ChosenOptions listed = secure.withInsecureRegistries(Set.of(storage.authority()));
      assertThrows(SourceUnavailableException.class, () -> read(registry, listed));
      assertEquals(List.of(), storage.requests());
    }
  }

  /// The registry has a loopback address, so it may redirect to loopback, but not to other internal
  /// addresses.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://169.254.169.254/latest/meta-data/",
        "https://[fe80::a9fe:a9fe]/",
        "https://[fd00:ec2::254]/latest/meta-data/",
        "https://[::ffff:169.254.169.254]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://224.0.0.1/"
      })
  void refusesRedirectsToInternalAddresses(String location) throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> reply.send(302, "", "Location: " + location))) {
      SourceUnavailableException thrown =
          assertThrows(SourceUnavailableException.class, () -> read(registry, registry.options()));
      String message = String.valueOf(thrown.getMessage());
      assertTrue(message.contains("leads to"), message);
      assertEquals(1, registry.requests().size());
    }
  }

  /// Behind a proxy, the client does not know the address of the registry, so the registry must not
  /// redirect to loopback.
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost", "0.0.0.0"})
  void aRegistryElsewhereDoesNotLeadToThisMachine(String name) throws IOException {
    String[] location = new String[1];
    try (FaultyRegistry inside =
            new FaultyRegistry((request, reply) -> reply.blob(request, content.bytes(), 100_000));
        FaultyRegistry proxy =
            new FaultyRegistry((request, reply) -> {
              if (request.target().contains("/blobs/")) {
                reply.send(307, "", "Location: " + location[0]);
              } else {
                reply.send(
                    401,
                    "",
                    "WWW-Authenticate: Bearer realm=\"" + location[0] + "\",service=\"s\"");
              }
            })) {
      String place = inside.authority().replace("127.0.0.1", name);
      location[0] = "http://" + place + "/inside";
      ChosenOptions options =
          inside
              .options()
              .withInsecureRegistries(Set.of("registry.invalid", place))
              .withRetries(0)
              .withCredentials(
                  new Credentials(
                      Optional.of("user"),
                      Optional.of("s3cret"),
                      List.of(),
                      Map.of("http_proxy", proxy.authority(), "no_proxy", name)));
      SourceReference.Remote elsewhere =
          (SourceReference.Remote) SourceReference.parse("docker://registry.invalid/some/disk:v1");
      try (RegistryStore store = RegistryStore.open(elsewhere, options.options());
          InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
        assertThrows(SourceUnavailableException.class, blob::readAllBytes);
        assertThrows(SourceUnavailableException.class, store::root);
      }
      assertEquals(2, proxy.requests().size());
      assertEquals(List.of(), inside.requests());
    }
  }

  private static FaultyRegistry askingForPassword(int status, String location) throws IOException {
    return new FaultyRegistry((request, reply) -> {
      if (request.header("authorization").isEmpty()) {
        reply.send(401, "", "WWW-Authenticate: Basic realm=\"r\"");
      } else {
        reply.send(status, "", "Location: " + location);
      }
    });
  }

  private static ChosenOptions withPassword(FaultyRegistry registry, FaultyRegistry storage) {
    return registry
        .options()
        .withInsecureRegistries(Set.copyOf(List.of(registry.authority(), storage.authority())))
        .withCredentials(GivenCredentials.password("user", "s3cret"));
  }

  private byte[] read(FaultyRegistry registry, ChosenOptions options) throws IOException {
    try (RegistryStore store = registry.store(options);
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      return blob.readAllBytes();
    }
  }
}
