package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.cloud.tools.jib.api.Credential;
import dev.pvcpopulators.http.InsecureHosts;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.registry.TransferListener;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenTest {
  private final Content content = Content.random(new Random(3), 100_000);
  private final AtomicInteger count = new AtomicInteger();

  @Test
  void asksForOneRepositoryWithoutCredentials() throws IOException {
    try (FaultyRegistry registry = withTokens((request, reply) -> token(reply, "t1"))) {
      read(registry, Credentials.none());
      FaultyRegistry.Request asked = tokenRequests(registry).getFirst();
      assertEquals(
          "/token?x=y&service=the+%22registry%22&scope=repository%3Asome%2Fdisk%3Apull",
          asked.target());
      assertEquals("", asked.header("authorization").orElse(""));
      assertEquals(List.of("", "", "Bearer t1"), registry.seen("authorization"));
    }
  }

  @Test
  void showsCredentialsToTheTokenServer() throws IOException {
    try (FaultyRegistry registry = withTokens((request, reply) -> token(reply, "t1"))) {
      read(registry, GivenCredentials.password("user", "pass:word"));
      assertEquals(
          "Basic " + Base64.getEncoder().encodeToString("user:pass:word".getBytes(UTF_8)),
          tokenRequests(registry).getFirst().header("authorization").orElse(""));
    }
  }

  @Test
  void takesTheMostParticularCredentials(@TempDir Path directory) throws IOException {
    try (FaultyRegistry registry = withTokens((request, reply) -> token(reply, "t1"))) {
      // `podman login HOST/PATH` writes keys with a path.
      Map<String, String> users =
          Map.of("/other", "a", "/some", "b", "/some/disks", "c", "/some/disk/below", "d");
      String entries =
          users.entrySet().stream()
              .map(it -> entry(registry.authority() + it.getKey(), it.getValue() + ":x"))
              .collect(Collectors.joining(","));
      Path file = directory.resolve("auth.json");
      Files.writeString(file, "{\"auths\":{" + entries + "}}");
      read(registry, GivenCredentials.dockerConfigs(List.of(file)));
      assertEquals("Basic " + base64("b:x"), shown(registry));

      String exact = entry(registry.authority() + "/some/disk", "e:x");
      Files.writeString(file, "{\"auths\":{" + entries + "," + exact + "}}");
      read(registry, GivenCredentials.dockerConfigs(List.of(file)));
      assertEquals("Basic " + base64("e:x"), shown(registry));
    }
  }

  /// A login for the repositories of one team must not apply to other repositories.
  @Test
  void usesAKeyOnlyBelowItsWholePath(@TempDir Path directory) throws IOException {
    InsecureHosts none = new InsecureHosts(Set.of());
    Path file = directory.resolve("auth.json");
    CredentialLookup lookup =
        new CredentialLookup(GivenCredentials.dockerConfigs(List.of(write(file, "{}"))));
    Endpoint asked = Endpoint.of("registry.example:5000", "team/disk", none);
    for (String other :
        List.of(
            "registry.example:5000/team-a",
            "registry.example:5000/team/disk2",
            "registry.example:5000/tea",
            "registry.example:5000/team/disk/below",
            "https://registry.example:5000/other",
            "registry.example:50",
            "registry.example")) {
      write(file, "{\"auths\":{" + entry(other, "a:x") + "}}");
      assertEquals(Optional.empty(), lookup.find(asked, true), other);
    }
    for (String ours :
        List.of(
            "registry.example:5000",
            "registry.example:5000/",
            "registry.example:5000/v1/",
            "https://registry.example:5000",
            "https://registry.example:5000/v2/",
            "registry.example:5000/team",
            "registry.example:5000/team/disk")) {
      write(
          file,
          "{\"auths\":{"
              + entry("registry.example:5000/team-a", "a:x")
              + ","
              + entry(ours, "b:y")
              + "}}");
      assertEquals("b", lookup.find(asked, true).map(Credential::getUsername).orElse("none"), ours);
    }
    write(file, "{\"auths\":{" + entry("https://index.docker.io/v1/", "hub:x") + "}}");
    assertEquals(
        "hub",
        lookup
            .find(Endpoint.of("docker.io", "library/x", none), true)
            .map(Credential::getUsername)
            .orElse("none"));
  }

  private static Path write(Path file, String text) throws IOException {
    return Files.writeString(file, text);
  }

  @Test
  void endsAHelperThatDoesNotEnd() {
    List<String> never = List.of("sh", "-c", "sleep 100000 & wait");
    assertEquals(
        Optional.empty(),
        new CredentialProgram(never, Duration.ofMillis(200)).credentials("registry.example"));
    ProcessHandle.current().children().forEach(child -> child.onExit().join());
  }

  @Test
  void takesTheAnswerOfAHelperThatDoesNotReadAndLeavesAProcessBehind() {
    List<String> hasty =
        List.of("sh", "-c", "exec <&-; sleep 600 & echo '{\"Username\":\"u\",\"Secret\":\"s\"}'");
    assertEquals(
        "u",
        new CredentialProgram(hasty, Duration.ofMinutes(5))
            .credentials("registry.example")
            .map(Credential::getUsername)
            .orElse("none"));
  }

  /// In a container, the home directory can be `/dev/null`.
  @Test
  void needsNoDirectoryForTheEnvironmentsFiles() throws IOException {
    Credentials credentials =
        new Credentials(
            Optional.empty(),
            Optional.empty(),
            List.of(),
            Map.of("HOME", "/dev/null", "DOCKER_CONFIG", "/dev/null"));
    Endpoint asked = Endpoint.of("registry.example", "disk", new InsecureHosts(Set.of()));
    assertEquals(Optional.empty(), new CredentialLookup(credentials).find(asked, true));
  }

  private static String entry(String key, String credentials) {
    return "\"" + key + "\":{\"auth\":\"" + base64(credentials) + "\"}";
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  /// Returns the field `Authorization` of the last request to the token server, or an empty string.
  private static String shown(FaultyRegistry registry) {
    return tokenRequests(registry).getLast().header("authorization").orElse("");
  }

  @Test
  void asksHelpersForTheirOwnHostsOnly() throws IOException {
    for (String host :
        List.of(
            "gcr.io",
            "eu.gcr.io",
            "123456789012.dkr.ecr.eu-west-1.amazonaws.com",
            "123456789012.dkr.ecr-fips.us-east-1.amazonaws.com")) {
      assertTrue(CredentialLookup.wellKnown(host).isPresent(), host);
    }
    for (String host :
        List.of(
            "not-gcr.io",
            "gcr.io.example.com",
            "xamazonaws.com",
            "a1b2.execute-api.eu-west-1.amazonaws.com",
            "123456789012.dkr.ecr.eu-west-1.amazonaws.com.example.com",
            "[::1]:5000")) {
      assertFalse(CredentialLookup.wellKnown(host).isPresent(), host);
    }
    InsecureHosts none = new InsecureHosts(Set.of());
    assertEquals(
        Optional.empty(),
        new CredentialLookup(Credentials.none())
            .find(Endpoint.of("[::1]:5000", "some/disk", none), false));
  }

  @Test
  void exchangesARefreshToken() throws IOException {
    try (FaultyRegistry registry =
        withTokens((request, reply) -> reply.send(200, "{\"access_token\":\"t1\"}"))) {
      read(registry, GivenCredentials.password("<token>", "refresh+me"));
      FaultyRegistry.Request asked = tokenRequests(registry).getFirst();
      assertEquals("POST", asked.method());
      assertEquals(
          "service=the+%22registry%22&scope=repository%3Asome%2Fdisk%3Apull"
              + "&grant_type=refresh_token&client_id=pvc-populators&refresh_token=refresh%2Bme",
          asked.body());
      assertEquals("", asked.header("authorization").orElse(""));
    }
  }

  @Test
  void renewsATokenThatExpiredOnTheWay() throws IOException {
    AtomicInteger tokens = new AtomicInteger();
    String[] self = new String[1];
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (request.target().startsWith("/token")) {
            token(reply, "t" + tokens.incrementAndGet());
          } else if (!request.header("authorization").orElse("").equals("Bearer t1")
              && request.offset() == 0) {
            challenge(reply, self[0]);
          } else if (request.offset() == 0) {
            reply.blob(request, content.bytes(), 50_000);
          } else if (request.header("authorization").orElse("").equals("Bearer t2")) {
            reply.blob(request, content.bytes(), 100_000);
          } else {
            challenge(reply, self[0]);
          }
        })) {
      self[0] = registry.url("/token");
      read(registry, Credentials.none());
      assertEquals(2, tokens.get());
    }
  }

  @Test
  void endsWhereNoTokenHelps() throws IOException {
    String[] self = new String[1];
    try (FaultyRegistry registry =
        new FaultyRegistry((request, reply) -> {
          if (request.target().startsWith("/token")) {
            token(reply, "t" + count.incrementAndGet());
          } else {
            challenge(reply, self[0]);
          }
        })) {
      self[0] = registry.url("/token");
      SourceDeniedException thrown =
          assertThrows(SourceDeniedException.class, () -> read(registry, Credentials.none()));
      assertTrue(String.valueOf(thrown.getMessage()).contains("none are configured"));
      assertEquals(1, count.get());
    }
  }

  @Test
  void namesTheRefusedUserWithoutThePassword() throws IOException {
    try (FaultyRegistry registry =
        withTokens((request, reply) -> reply.send(401, request.header("authorization").get()))) {
      SourceDeniedException thrown =
          assertThrows(
              SourceDeniedException.class,
              () -> read(registry, GivenCredentials.password("user", "s3cret")));
      String message = String.valueOf(thrown.getMessage());
      assertTrue(message.contains("the credentials of the registry"), message);
      assertFalse(message.contains("s3cret") || message.contains("Basic"), message);
    }
  }

  @Test
  void triesABusyTokenServerAgain() throws IOException {
    try (FaultyRegistry registry =
        withTokens((request, reply) -> {
          if (count.getAndIncrement() < 2) {
            reply.send(429, "", "Retry-After: 0");
          } else {
            token(reply, "t1");
          }
        })) {
      read(registry, Credentials.none());
      assertEquals(3, count.get());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no json",
        "[]",
        "{}",
        "{\"token\":\"\"}",
        "{\"token\":{}}",
        "{\"token\":\"a b\"}",
        "{\"token\":\"a\\r\\nX-Injected: b\"}"
      })
  void refusesAnAnswerWithoutToken(String answer) throws IOException {
    try (FaultyRegistry registry = withTokens((request, reply) -> reply.send(200, answer))) {
      assertThrows(SourceUnavailableException.class, () -> read(registry, Credentials.none()));
      assertEquals(2, registry.requests().size());
    }
  }

  @Test
  void refusesATokenWithoutEnd() throws IOException {
    try (FaultyRegistry registry =
        withTokens((request, reply) -> {
          reply.head(200, "Transfer-Encoding: chunked").chunk("{\"token\":\"".getBytes(UTF_8));
          while (true) {
            reply.chunk("a".repeat(100_000).getBytes(UTF_8));
          }
        })) {
      assertThrows(SourceUnavailableException.class, () -> read(registry, Credentials.none()));
    }
  }

  @Test
  void refusesATokenThatIsTooLong() throws IOException {
    try (FaultyRegistry registry =
        withTokens((request, reply) -> token(reply, "a".repeat((64 << 10) + 1)))) {
      assertThrows(SourceUnavailableException.class, () -> read(registry, Credentials.none()));
    }
  }

  @Test
  @Tag("tools")
  void sendsCredentialsToNoRealmWithoutTls(@TempDir Path directory) throws IOException {
    CertificateAuthority authority = CertificateAuthority.in(directory);
    authority.sign("registry", "IP:127.0.0.1");
    try (FaultyRegistry realm = new FaultyRegistry((request, reply) -> token(reply, "t1"));
        FaultyRegistry registry =
            new FaultyRegistry(
                (request, reply) -> {
                  if (request.header("authorization").isEmpty()) {
                    challenge(reply, realm.url("/token"));
                  } else {
                    reply.blob(request, content.bytes(), 100_000);
                  }
                },
                authority.sockets("registry"),
                "https")) {
      ChosenOptions options =
          ChosenOptions.defaults()
              .withRetries(0)
              .withCaBundle(authority.certificate())
              .withCredentials(GivenCredentials.password("user", "s3cret"));
      assertThrows(SourceUnavailableException.class, () -> read(registry, options));
      ChosenOptions listed = options.withInsecureRegistries(Set.of(realm.authority()));
      assertThrows(SourceUnavailableException.class, () -> read(registry, listed));
      assertEquals(List.of(), realm.requests());
    }
  }

  /// Without TLS, an attacker on the network can change the answers of a registry.
  @Test
  void asksARealmWithoutTlsOnlyWhereItIsListed() throws IOException {
    try (FaultyRegistry realm = new FaultyRegistry((request, reply) -> token(reply, "t1"));
        FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              if (request.header("authorization").isEmpty()) {
                challenge(reply, realm.url("/token"));
              } else {
                reply.blob(request, content.bytes(), 100_000);
              }
            })) {
      ChosenOptions options =
          registry.options().withCredentials(GivenCredentials.password("user", "s3cret"));
      assertThrows(SourceUnavailableException.class, () -> read(registry, options));
      assertEquals(List.of(), realm.requests());
      read(
          registry,
          options.withInsecureRegistries(Set.of(registry.authority(), realm.authority())));
      assertEquals(1, realm.requests().size());
    }
  }

  /// The client may send credentials only to the realm that the registry named.
  @Test
  void takesNoCredentialsFromTheRealmToAnotherHost() throws IOException {
    try (FaultyRegistry other = new FaultyRegistry((request, reply) -> token(reply, "t1"));
        FaultyRegistry registry =
            withTokens(
                (request, reply) -> reply.send(307, "", "Location: " + other.url("/token")))) {
      read(
          registry,
          registry
              .options()
              .withInsecureRegistries(Set.of(registry.authority(), other.authority()))
              .withCredentials(GivenCredentials.password("user", "s3cret")));
      assertEquals(List.of(""), other.seen("authorization"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer",
        "Bearer realm=\"https://169.254.169.254/token\"",
        "Bearer realm=\"https://[fd00:ec2::254]/token\"",
        "Bearer realm=\"\"",
        "Bearer realm=\"file:///etc/passwd\"",
        "Bearer realm=\"http://user:word@127.0.0.1/\"",
        "Bearer realm=\"http://[x\"",
      })
  void asksNoOtherRealm(String challenge) throws IOException {
    try (FaultyRegistry registry =
        new FaultyRegistry(
            (request, reply) -> reply.send(401, "", "WWW-Authenticate: " + challenge))) {
      assertThrows(SourceUnavailableException.class, () -> read(registry, Credentials.none()));
      assertEquals(1, registry.requests().size());
    }
  }

  /// Creates a registry that is also its own token server. The registry accepts the token `t1`.
  private FaultyRegistry withTokens(FaultyRegistry.Script tokens) throws IOException {
    FaultyRegistry[] self = new FaultyRegistry[1];
    self[0] =
        new FaultyRegistry((request, reply) -> {
          if (request.target().startsWith("/token")) {
            tokens.answer(request, reply);
          } else if (request.header("authorization").orElse("").equals("Bearer t1")) {
            reply.blob(request, content.bytes(), 100_000);
          } else {
            challenge(reply, self[0].url("/token?x=y"));
          }
        });
    return self[0];
  }

  private static void challenge(FaultyRegistry.Reply reply, String realm) throws IOException {
    reply.send(
        401,
        "",
        "WWW-Authenticate: Bearer realm=\"" + realm + "\",service=\"the \\\"registry\\\"\"");
  }

  private static void token(FaultyRegistry.Reply reply, String token) throws IOException {
    reply.send(200, "{\"token\":\"" + token + "\",\"expires_in\":300}");
  }

  private static List<FaultyRegistry.Request> tokenRequests(FaultyRegistry registry) {
    return registry.requests().stream().filter(it -> it.target().startsWith("/token")).toList();
  }

  private void read(FaultyRegistry registry, Credentials credentials) throws IOException {
    read(registry, registry.options().withCredentials(credentials));
  }

  private void read(FaultyRegistry registry, ChosenOptions options) throws IOException {
    try (RegistryStore store = registry.store(options);
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE)) {
      assertEquals(100_000, blob.readAllBytes().length);
    }
  }
}
