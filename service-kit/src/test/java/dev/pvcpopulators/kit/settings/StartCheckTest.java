package dev.pvcpopulators.kit.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.text.NameSuggestion;
import dev.pvcpopulators.kit.text.OneLine;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartCheckTest {
  private static final int ENVIRONMENT = 300;
  private static final int SYSTEM_PROPERTIES = 400;
  private static final String CANARY = "canary-5309";

  /// Settings of every type.
  @ConfigMapping(prefix = "fake-service")
  interface FakeSettings {
    @Described(value = "A word", example = "word")
    Optional<String> word();

    @Described(value = "A secret", example = "secret", secret = true)
    Optional<String> password();

    @Described("A number")
    @WithDefault("3")
    int count();

    @Described("A duration")
    @WithDefault("10s")
    Duration patience();

    @Described(value = "LineWrapping", example = "a,b")
    Optional<List<String>> words();

    @WithParentName
    Item single();

    Optional<List<Item>> items();

    /// A group of settings, which occurs once outside a list, and any number of times in a list.
    interface Item {
      @Described(value = "A name", example = "name")
      Optional<String> name();

      @Described("A switch")
      @WithDefault("false")
      boolean on();
    }
  }

  private static List<String> sentences(NamedFiles files, String... variables) {
    return sentences(Map.of(), files, variables);
  }

  private static List<String> sentences(
      Map<String, String> properties, NamedFiles files, String... variables) {
    Map<String, String> environment = new HashMap<>(Map.of("POPULATOR_AUTH", "none"));
    for (int i = 0; i < variables.length; i += 2) {
      environment.put(variables[i], variables[i + 1]);
    }
    return new StartCheck(List.of(FakeSettings.class), files)
            .run(() ->
                new SmallRyeConfigBuilder()
                    .addDefaultInterceptors()
                    .addDiscoveredInterceptors()
                    .addDiscoveredConverters()
                    .withSources(
                        new EnvConfigSource(environment, ENVIRONMENT),
                        new PropertiesConfigSource(properties, "system", SYSTEM_PROPERTIES)))
            .mistakes()
            .stream()
            .map(Mistake::sentence)
            .toList();
  }

  private static List<String> sentences(String... variables) {
    return sentences(NamedFiles.elsewhere(), variables);
  }

  @Test
  void reportsNothingForValidSettings() {
    assertEquals(
        List.of(),
        sentences(
            "FAKE_SERVICE_WORD", "what ${ever}",
            "FAKE_SERVICE_COUNT", "4",
            "FAKE_SERVICE_PATIENCE", "500ms",
            "FAKE_SERVICE_WORDS", "a,b",
            "FAKE_SERVICE_ON", "TRUE",
            "FAKE_SERVICE_ITEMS_0__ON", "false",
            "FAKE_SERVICE_ITEMS_0__NAME", "n",
            "POPULATOR_TOKENREVIEW_USERS_0_", "one",
            "POPULATOR_CLAIM_NAME", "",
            "FAKE_OTHER", "nobody's"));
  }

  @Test
  void everythingIsSaidAtOnce() {
    assertEquals(
        List.of(
            "FAKE_SERVICE_COUNT=many: expected a number, such as 3",
            "FAKE_SERVICE_ITEMS_1__ON=of: expected true or false, such as true",
            "FAKE_SERVICE_PATIENCE=soon: expected a duration (10s, 5m), such as 10s",
            "POPULATOR_CLAIM_NAME=Some_Claim: expected the name of a claim (a-z, 0-9, - and .; at"
                + " most 253), such as fedora-disk",
            "POPULATOR_MODE=: expected service or job, such as service",
            "POPULATOR_OVERWRITE=yes: expected true or false, such as true",
            "POPULATOR_TLS_KEY: not set; expected the key to POPULATOR_TLS_CERTIFICATE, such as"
                + " /etc/populator-tls/tls.key",
            "FAKE_SERVICE_ITEMS_1_NAME: no such setting; did you mean"
                + " FAKE_SERVICE_ITEMS_1__NAME?",
            "FAKE_SERVICE_WRD: no such setting; did you mean FAKE_SERVICE_WORD?",
            "POPULATOR_ENTIRELY_DIFFERENT: no such setting"),
        sentences(
            "FAKE_SERVICE_COUNT", "many",
            "FAKE_SERVICE_ITEMS_0__NAME", "n",
            "FAKE_SERVICE_ITEMS_1__ON", "of",
            "FAKE_SERVICE_ITEMS_1_NAME", "n",
            "FAKE_SERVICE_PATIENCE", "soon",
            "FAKE_SERVICE_WRD", "w",
            "POPULATOR_CLAIM_NAME", "Some_Claim",
            "POPULATOR_ENTIRELY_DIFFERENT", "x",
            "POPULATOR_MODE", "",
            "POPULATOR_OVERWRITE", "yes",
            "POPULATOR_TLS_CERTIFICATE", "/tls.crt"));
  }

  @Test
  void propertiesAreJudgedAsVariablesAre() {
    assertEquals(
        List.of(
            "FAKE_SERVICE_COUNT=x: expected a number, such as 3",
            "fake-service.wrod: no such setting; did you mean FAKE_SERVICE_WORD?"),
        sentences(
            Map.of(
                "fake-service.count", "x",
                "fake-service.wrod", "y",
                "fake-service.items[0].name", "z",
                "other.wrod", "y"),
            NamedFiles.elsewhere()));
  }

  /// The first column contains variables that Kubernetes sets for Services. Their names depend on
  /// the Service.
  @ParameterizedTest
  @CsvSource({
    "FAKE_SERVICE_SERVICE_HOST, 10.96.0.7",
    "FAKE_SERVICE_SERVICE_PORT, 8080",
    "FAKE_SERVICE_SERVICE_PORT_HTTP_METRICS, 8080",
    "FAKE_SERVICE_PORT, tcp://10.96.0.7:8080",
    "FAKE_SERVICE_PORT, tcp://[fd00::7]:8080",
    "FAKE_SERVICE_PORT_8080_TCP, tcp://10.96.0.7:8080",
    "FAKE_SERVICE_PORT_8080_TCP_PROTO, tcp",
    "FAKE_SERVICE_PORT_8080_TCP_PORT, 8080",
    "FAKE_SERVICE_PORT_8080_TCP_ADDR, 10.96.0.7",
    "FAKE_SERVICE_WORD_PORT, udp://10.96.0.7:53",
    "POPULATOR_SERVICE_HOST, 10.96.0.7"
  })
  void linksToServicesAreNoSettings(String variable, String value) {
    assertEquals(List.of(), sentences(variable, value));
  }

  @Test
  void secretsAreNotShown(@TempDir Path directory) throws IOException {
    Path empty = Files.createFile(directory.resolve("empty"));
    List<String> said =
        sentences(
            NamedFiles.here(),
            "POPULATOR_TOKEN",
            CANARY,
            "POPULATOR_AUTH",
            "token",
            "POPULATOR_TOKEN_FILE",
            CANARY,
            "POPULATOR_TOKNE",
            CANARY,
            "POPULATOR_TLS_KEY",
            empty.toString(),
            "FAKE_SERVICE_PASWORD",
            CANARY,
            "POPULATOR_TOKENREVIEW_API_SERVER",
            "http://u:" + CANARY + "@host",
            "POPULATOR_MODE",
            "https://u:" + CANARY + "@host/x");
    assertEquals(
        List.of(
            "POPULATOR_MODE=https://…@host/x: expected service or job, such as service",
            "POPULATOR_TLS_CERTIFICATE: not set; expected the certificate to POPULATOR_TLS_KEY,"
                + " such as /etc/populator-tls/tls.crt",
            "POPULATOR_TLS_KEY="
                + OneLine.of(empty.toString())
                + ": no PEM in it; expected a file with a private key (PEM, PKCS #8), such as"
                + " /etc/populator-tls/tls.key",
            "POPULATOR_TOKEN (not shown): expected it or POPULATOR_TOKEN_FILE, not both, such as"
                + " the output of: openssl rand -hex 32",
            "POPULATOR_TOKEN_FILE (not shown): no such file; expected a file with a token of at"
                + " most 8192 bytes, such as /etc/populator/token",
            "FAKE_SERVICE_PASWORD: no such setting; did you mean FAKE_SERVICE_PASSWORD?",
            "POPULATOR_TOKNE: no such setting; did you mean POPULATOR_TOKEN?"),
        said);
    assertFalse(said.toString().contains(CANARY), said.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "bob:canary-5309@reg.example/a/b, …@reg.example/a/b",
    "docker.io=bob:canary-5309@m, …@m",
    "docker.io=https://bob:canary-5309@m, docker.io=https://…@m",
    "//canary-5309@m, …@m",
    "https://canary-5309@host/x, https://…@host/x",
    "bob:canary@5309:canary-5309@reg:5000/a, …@reg:5000/a",
    "bob:canary-5309/x y@reg/a@sha256:01ab, …@reg/a@sha256:01ab",
    "reg.example:5000/a:1@sha256:01ab, reg.example:5000/a:1@sha256:01ab",
    "reg.example:5000/a:1, reg.example:5000/a:1",
    "someone@host, someone@host"
  })
  void passwordsAreNotShown(String value, String shown) {
    assertEquals(shown, OneLine.of(value));
  }

  @Test
  void aKeyInPlaceOfItsFileIsNotShown() {
    String said =
        sentences(
                NamedFiles.here(),
                "POPULATOR_TLS_CERTIFICATE",
                "-----BEGIN PRIVATE KEY-----\n" + CANARY + "\n-----END PRIVATE KEY-----\n",
                "POPULATOR_MODE",
                "bob:" + CANARY + "@reg.example/a/b")
            .toString();
    assertTrue(said.contains("POPULATOR_TLS_CERTIFICATE=…: "), said);
    assertTrue(said.contains("POPULATOR_MODE=…@reg.example/a/b: "), said);
    assertFalse(said.contains(CANARY) || said.contains("BEGIN"), said);
  }

  /// A base64 secret may begin with a slash, like a path. For a setting with a secret, the check
  /// shows the value only if the value begins with the path of an existing directory.
  @Test
  void aSecretThatLooksLikeAPathIsNotShown() {
    for (String secret : List.of("/" + CANARY, "/" + CANARY + "/x")) {
      assertEquals(
          List.of(
              "POPULATOR_TOKEN_FILE (not shown): no such file; expected a file with a token of at"
                  + " most 8192 bytes, such as /etc/populator/token"),
          tokenFile(secret));
    }
    assertEquals(
        List.of(
            "POPULATOR_TOKEN_FILE=/etc/missing/token: no such file; expected a file with a token of"
                + " at most 8192 bytes, such as /etc/populator/token"),
        tokenFile("/etc/missing/token"));
  }

  private static List<String> tokenFile(String path) {
    return sentences(
        NamedFiles.here(),
        "POPULATOR_AUTH",
        "token",
        "POPULATOR_HTTP_CLEARTEXT_TOKENS",
        "true",
        "POPULATOR_TOKEN_FILE",
        path);
  }

  @Test
  void anAnswerIsCachedForAMinuteAtMost() {
    assertEquals(List.of(), cache("60s"));
    List<String> refused = cache("61s");
    assertEquals(1, refused.size(), refused.toString());
    assertTrue(
        refused
            .getFirst()
            .startsWith("POPULATOR_TOKENREVIEW_CACHE=61s: expected a duration from 0s to 60s"),
        refused.getFirst());
  }

  private static List<String> cache(String duration) {
    return sentences(
        "POPULATOR_AUTH",
        "tokenreview",
        "POPULATOR_HTTP_CLEARTEXT_TOKENS",
        "true",
        "POPULATOR_NAMESPACE",
        "vms",
        "POPULATOR_CLAIM_NAME",
        "disk",
        "POPULATOR_TOKENREVIEW_CACHE",
        duration);
  }

  @ParameterizedTest
  @ValueSource(strings = {"65536", "-1", "http", "99999999999"})
  void aPortIsANumber(String port) {
    assertEquals(
        List.of("QUARKUS_HTTP_PORT=" + port + ": expected a number from 0 to 65535, such as 8080"),
        sentences("QUARKUS_HTTP_PORT", port));
    assertEquals(List.of(), sentences("QUARKUS_HTTP_PORT", "65535"));
  }

  @Test
  void aValueTakesOneLine() {
    String said =
        sentences("FAKE_SERVICE_COUNT", "1\n2\u001b[31m\u202e" + "x".repeat(1000)).getFirst();
    assertTrue(said.startsWith("FAKE_SERVICE_COUNT=1\\n2\\u001b[31m\\u202exxx"), said);
    assertTrue(said.contains("x…: expected a number"), said);
    assertTrue(said.length() < 200, said);
  }

  @Test
  void requiresAnAuthenticationSetting() {
    assertEquals(
        List.of(
            "POPULATOR_AUTH: not set; expected POPULATOR_TOKEN_FILE with the clients' token, or"
                + " another value here (none means no authentication), such as tokenreview"),
        sentences("POPULATOR_AUTH", ""));
    assertEquals(List.of(), sentences("POPULATOR_AUTH", "", "QUARKUS_HTTP_HOST", "127.0.0.1"));
    assertEquals(
        List.of(),
        sentences(
            "POPULATOR_AUTH",
            "",
            "POPULATOR_HTTP_CLEARTEXT_TOKENS",
            "true",
            "POPULATOR_TOKEN",
            "1234567890123456"));
    assertEquals(
        List.of(
            "POPULATOR_TOKEN (not shown): expected a token of at least 16 bytes, such as the output"
                + " of: openssl rand -hex 32"),
        sentences(
            "POPULATOR_AUTH",
            "",
            "POPULATOR_HTTP_CLEARTEXT_TOKENS",
            "true",
            "POPULATOR_TOKEN",
            "123456789012345"));
    assertEquals(
        List.of(),
        sentences(
            "POPULATOR_AUTH", "",
            "POPULATOR_TOKEN", "t",
            "QUARKUS_HTTP_HOST", "127.0.0.1"));
    assertEquals(
        List.of(
            "POPULATOR_AUTH=none: expected token, because POPULATOR_TOKEN is set and has no"
                + " effect otherwise"),
        sentences("POPULATOR_TOKEN", CANARY));
    assertEquals(
        List.of(
            "POPULATOR_AUTH=tokenreview: expected token, because POPULATOR_TOKEN_FILE is set and"
                + " has no effect otherwise"),
        sentences(
            "POPULATOR_AUTH", "tokenreview",
            "POPULATOR_TOKEN_FILE", "/token",
            "POPULATOR_HTTP_CLEARTEXT_TOKENS", "true",
            "POPULATOR_TOKENREVIEW_USERS", "uploader",
            "POPULATOR_TOKENREVIEW_AUDIENCES", "volumes"));
    // The check must report only the mistake itself, and no further errors that follow from it.
    assertEquals(
        List.of("POPULATOR_AUTH=tok: expected token, tokenreview or none, such as tokenreview"),
        sentences("POPULATOR_AUTH", "tok"));
  }

  @Test
  void tokensInClearTextHaveToBeMeant() {
    String mistake =
        "POPULATOR_TLS_CERTIFICATE: not set; expected it and POPULATOR_TLS_KEY, because others can"
            + " read the tokens of clients on their way; or on purpose"
            + " POPULATOR_HTTP_CLEARTEXT_TOKENS=true, such as /etc/populator-tls/tls.crt";
    String[] token = {"POPULATOR_AUTH", "", "POPULATOR_TOKEN", "1234567890123456"};
    assertEquals(List.of(mistake), sentences(token));
    assertEquals(
        List.of(mistake),
        sentences(
            "POPULATOR_AUTH", "tokenreview",
            "POPULATOR_NAMESPACE", "vms",
            "POPULATOR_CLAIM_NAME", "disk"));
    assertEquals(
        List.of(),
        sentences(
            "POPULATOR_AUTH", "token",
            "POPULATOR_TOKEN", "1234567890123456",
            "POPULATOR_TLS_CERTIFICATE", "/tls.crt",
            "POPULATOR_TLS_KEY", "/tls.key"));
    assertEquals(
        List.of(),
        sentences(
            "POPULATOR_AUTH", "token",
            "POPULATOR_TOKEN", "1234567890123456",
            "QUARKUS_HTTP_HOST", "127.0.0.1"));
  }

  @Test
  void callersFollowFromTheClaimAndItsNamespace() {
    assertEquals(
        List.of(
            "POPULATOR_CLAIM_NAME: not set; expected the claim's name, from which the audience of"
                + " callers' tokens follows; or POPULATOR_TOKENREVIEW_AUDIENCES, such as fedora-disk",
            "POPULATOR_NAMESPACE: not set; expected the claim's namespace, whose ServiceAccounts may"
                + " call; or both POPULATOR_TOKENREVIEW_AUDIENCES and POPULATOR_TOKENREVIEW_USERS,"
                + " such as vms"),
        sentences("POPULATOR_AUTH", "tokenreview", "POPULATOR_HTTP_CLEARTEXT_TOKENS", "true"));
    assertEquals(
        List.of(
            "POPULATOR_NAMESPACE=a/b: expected the name of a namespace (a-z, 0-9, -; at most 63),"
                + " such as vms"),
        sentences(
            "POPULATOR_AUTH", "tokenreview",
            "POPULATOR_HTTP_CLEARTEXT_TOKENS", "true",
            "POPULATOR_NAMESPACE", "a/b",
            "POPULATOR_CLAIM_NAME", "disk"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLATFROM", "PLATFOM", "PLATTFORM", "PLAFTORM", "PLATFORMS"})
  void theNearestNameIsMeant(String slip) {
    assertEquals(
        Optional.of("SERVICE_PLATFORM"),
        NameSuggestion.of(
            "SERVICE_" + slip, List.of("SERVICE_PATH", "SERVICE_PLATFORM", "SERVICE_ON")));
  }

  @Test
  void suggestsNoDistantName() {
    assertEquals(
        Optional.empty(),
        NameSuggestion.of("SERVICE_COLOUR", List.of("SERVICE_PATH", "SERVICE_ON")));
  }
}
