package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.registry.SourceDeniedException;
import dev.pvcpopulators.registry.SourceUnavailableException;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectTest {
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
      RegistryOptions options = withPassword(registry, storage);
      assertArrayEquals(content.bytes(), read(registry, options));
      assertEquals(List.of("", ""), storage.seen("authorization"));
      assertEquals(List.of("", "bytes=5000-"), storage.seen("range"));
      assertEquals("/signed?by=a%2Fb&x=%7e", storage.requests().getFirst().target());
      // Challenged, answered; the resume begins at the registry.
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
      assertEquals(1 + Wire.REDIRECTS, registry.requests().size());
    }
  }

  @Test
  void followsAsManyAsItSays() throws IOException {
    AtomicInteger redirects = new AtomicInteger();
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (redirects.getAndIncrement() < Wire.REDIRECTS) {
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
  void goesFromHttpsToHttpOnlyWhereThatIsListed(@TempDir Path directory) throws IOException {
    CertificateAuthority authority = CertificateAuthority.in(directory);
    authority.sign("registry", "IP:127.0.0.1");
    try (FaultyRegistry storage =
            new FaultyRegistry((request, reply) -> reply.blob(request, content.bytes(), 100_000));
        FaultyRegistry registry =
            new FaultyRegistry(
                (request, reply) -> reply.send(307, "", "Location: " + storage.url("/blob")),
                authority.sockets("registry"),
                "https")) {
      RegistryOptions secure =
          RegistryOptions.defaults().withCaBundle(authority.certificate()).withRetries(0);
      assertThrows(SourceUnavailableException.class, () -> read(registry, secure));
      assertEquals(List.of(), storage.requests());
      RegistryOptions listed = secure.withInsecureRegistries(Set.of(storage.authority()));
      assertArrayEquals(content.bytes(), read(registry, listed));
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

  private static RegistryOptions withPassword(FaultyRegistry registry, FaultyRegistry storage) {
    return registry
        .options()
        .withInsecureRegistries(Set.copyOf(List.of(registry.authority(), storage.authority())))
        .withCredentials(Credentials.none().withPassword("user", "s3cret"));
  }

  private byte[] read(FaultyRegistry registry, RegistryOptions options) throws IOException {
    try (RegistryStore store = registry.store(options);
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      return blob.readAllBytes();
    }
  }
}
