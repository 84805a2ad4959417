package dev.pvcpopulators.registry.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.registry.RawManifest;
import dev.pvcpopulators.registry.SourceReference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class RealAuthenticationTest {
  private static final String NO_TLS = "--dest-tls-verify=false";
  private static final String CREDS = "--dest-creds=user:s3cret";
  private static final Credentials RIGHT = GivenCredentials.password("user", "s3cret");
  private static final Credentials WRONG = GivenCredentials.password("user", "guessed");

  @TempDir Path directory;

  @Test
  void showsAPassword() throws IOException {
    try (RealRegistry registry = withPasswords()) {
      pull(registry.reference("disk"), RIGHT);
      assertTrue(
          denied(registry.reference("disk"), Credentials.none()).contains("none are configured"));
      String refused = denied(registry.reference("disk"), WRONG);
      assertTrue(refused.contains("rejects the credentials"), refused);
      assertFalse(refused.contains("guessed"), refused);
    }
  }

  @Test
  void findsPasswordsInDockersFiles() throws IOException {
    try (RealRegistry registry = withPasswords()) {
      SourceReference.Remote reference = registry.reference("disk");
      Path elsewhere = config("elsewhere", "registry.example", "user:other");
      Path here = config("here", registry.authority(), "user:s3cret");
      pull(reference, GivenCredentials.dockerConfigs(List.of(elsewhere, here)));
      denied(reference, GivenCredentials.dockerConfigs(List.of(elsewhere)));

      Map<String, String> docker = Map.of("DOCKER_CONFIG", directory.resolve("here").toString());
      pull(reference, new Credentials(Optional.empty(), Optional.empty(), List.of(), docker));
      Map<String, String> podman = Map.of("REGISTRY_AUTH_FILE", here.toString());
      pull(reference, new Credentials(Optional.empty(), Optional.empty(), List.of(), podman));
      Files.move(directory.resolve("here"), directory.resolve(".docker"));
      Map<String, String> home = Map.of("HOME", directory.toString());
      pull(reference, new Credentials(Optional.empty(), Optional.empty(), List.of(), home));
      // The order of precedence is: the explicit password, the given files, the files of the
      // environment.
      denied(
          reference, new Credentials(Optional.of("user"), Optional.of("guessed"), List.of(), home));
    }
  }

  @Test
  void asksCredentialHelpers() throws Exception {
    try (RealRegistry registry = withPasswords()) {
      Path bin = Files.createDirectory(directory.resolve("bin"));
      helper(bin, "x", registry.authority());
      // Docker's own credential helpers know Docker Hub by a key of the form `https://HOST/v1/`.
      String written = "https://" + registry.authority() + "/v1/";
      helper(bin, "y", written);
      String reference = registry.reference("disk").toString();
      for (String settings :
          List.of(
              "{\"credHelpers\":{\"" + registry.authority() + "\":\"x\"}}",
              "{\"credsStore\":\"x\"}",
              "{\"credHelpers\":{\"" + written + "\":\"y\"}}",
              "{\"auths\":{\"" + written + "\":{}},\"credsStore\":\"y\"}")) {
        Files.writeString(directory.resolve("config.json"), settings);
        assertEquals(
            0,
            pullingProgram(reference, bin),
            () -> settings + ": " + said(directory.resolve("output")));
      }
      Files.writeString(directory.resolve("config.json"), "{\"credsStore\":\"missing\"}");
      assertEquals(1, pullingProgram(reference, bin));
    }
  }

  /// Creates a credential helper that returns credentials for only one key.
  private static void helper(Path bin, String name, String key) throws IOException {
    Path file = bin.resolve("docker-credential-" + name);
    Files.writeString(
        file,
        "#!/bin/sh\n[ \"$1\" = get ] && [ \"$(cat)\" = "
            + key
            + " ] && echo '{\"Username\":\"user\",\"Secret\":\"s3cret\"}'\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private int pullingProgram(String reference, Path bin) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            PullingProgram.class.getName(),
            reference);
    builder.environment().put("DOCKER_CONFIG", directory.toString());
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile())
        .start()
        .waitFor();
  }

  private static String said(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void refusesFilesThatAreNotDockers() throws IOException {
    try (RealRegistry registry = withPasswords()) {
      SourceReference.Remote reference = registry.reference("disk");
      for (String text : List.of("s3cret", "[]", "null", "{\"auths\":7}", "{\"auths\":null}")) {
        Path file = Files.writeString(directory.resolve("config.json"), text);
        Credentials credentials = GivenCredentials.dockerConfigs(List.of(file));
        String message = denied(reference, credentials);
        assertTrue(message.contains(file.toString()) && !message.contains("s3cret"), message);
      }
      Path missing = directory.resolve("missing.json");
      assertThrows(
          IllegalArgumentException.class,
          () -> pull(reference, GivenCredentials.dockerConfigs(List.of(missing))));
    }
  }

  @Test
  void fetchesTokens() throws IOException {
    CertificateAuthority authority = CertificateAuthority.in(directory);
    try (RealTokenServer tokens = new RealTokenServer(authority);
        RealRegistry registry = RealRegistry.start(directory, tokens.settings(), "")) {
      registry.push("public/disk", new byte[10_000], NO_TLS, CREDS);
      registry.push("private/disk", new byte[10_000], NO_TLS, CREDS);
      pull(tokens, registry.reference("public/disk"), Credentials.none());
      pull(tokens, registry.reference("private/disk"), RIGHT);
      assertTrue(
          denied(tokens, registry.reference("private/disk"), Credentials.none())
              .contains("none are configured"));
      assertTrue(
          denied(tokens, registry.reference("private/disk"), WRONG).contains("token server"));
      assertTrue(
          tokens
              .requests()
              .getLast()
              .target()
              .endsWith("?service=registry.test&scope=repository%3Aprivate%2Fdisk%3Apull"));
    }
  }

  private RealRegistry withPasswords() throws IOException {
    Path passwords = directory.resolve("htpasswd");
    Command.run("htpasswd", "-c", "-b", "-B", "-C", "4", passwords.toString(), "user", "s3cret");
    RealRegistry registry =
        RealRegistry.start(
            directory, "auth:\n  htpasswd:\n    realm: r\n    path: \"" + passwords + "\"\n", "");
    registry.push("disk", new byte[10_000], NO_TLS, CREDS);
    return registry;
  }

  private Path config(String name, String registry, String password) throws IOException {
    String auth = Base64.getEncoder().encodeToString(password.getBytes(UTF_8));
    Path file = Files.createDirectory(directory.resolve(name)).resolve("config.json");
    return Files.writeString(
        file, "{\"auths\":{\"" + registry + "\":{\"auth\":\"" + auth + "\"}}}");
  }

  private static String denied(SourceReference.Remote reference, Credentials credentials) {
    return String.valueOf(
        assertThrows(SourceDeniedException.class, () -> pull(reference, credentials)).getMessage());
  }

  private static String denied(
      RealTokenServer tokens, SourceReference.Remote reference, Credentials credentials) {
    return String.valueOf(
        assertThrows(SourceDeniedException.class, () -> pull(tokens, reference, credentials))
            .getMessage());
  }

  private static void pull(
      RealTokenServer tokens, SourceReference.Remote reference, Credentials credentials)
      throws IOException {
    pull(reference, credentials, Set.of(reference.registry(), tokens.authority()));
  }

  private static void pull(SourceReference.Remote reference, Credentials credentials)
      throws IOException {
    pull(reference, credentials, Set.of(reference.registry()));
  }

  private static void pull(
      SourceReference.Remote reference, Credentials credentials, Set<String> insecure)
      throws IOException {
    ChosenOptions options =
        ChosenOptions.defaults()
            .withInsecureRegistries(insecure)
            .withRetries(0)
            .withCredentials(credentials);
    try (RegistryStore store = RegistryStore.open(reference, options.options())) {
      RawManifest manifest = store.root();
      assertTrue(manifest.document().has("layers"));
    }
  }
}
