package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.settings.PopulatorSettings.Auth;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.Config;

/// The rules for the settings that all services share.
public final class SharedRules implements SettingsRules {
  private static final int MAX_TOKEN = 8_192;
  private static final int LEAST_TOKEN = 16;
  private static final int MAX_PEM = 1 << 20;
  private static final int LAST_PORT = 65_535;
  private static final int LEAST_CONNECTIONS = 8;
  private static final int MOST_CONNECTIONS = 100_000;
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final Duration LONGEST_CACHE = Duration.ofSeconds(60);

  @Override
  public void check(GivenSettings given, Mistakes found) {
    PopulatorSettings settings = given.shared();
    settings
        .claimName()
        .filter(name -> !ClaimName.isOne(name))
        .ifPresent(_ ->
            found.wrong(
                "POPULATOR_CLAIM_NAME", "the name of a claim (a-z, 0-9, - and .; at most 253)"));
    found.place(
        "POPULATOR_SCRATCH",
        settings.scratch(),
        PathChecks.directory(true),
        "a directory that this process can write to");
    found.within("POPULATOR_PROGRESS_INTERVAL", settings.progressInterval(), SHORTEST, LONGEST);
    found.within(
        "POPULATOR_HTTP_MAX_CONNECTIONS",
        settings.http().maxConnections(),
        LEAST_CONNECTIONS,
        MOST_CONNECTIONS);
    found.within(
        "POPULATOR_HTTP_REQUEST_TIMEOUT", settings.http().requestTimeout(), SHORTEST, LONGEST);
    statusPort(settings, found);
    tls(settings.tls(), found);
    access(given, found);
    port(given, found);
  }

  /// Requires that POPULATOR_TARGET names a volume: a directory or a device.
  ///
  /// @param written whether the service writes to the volume
  public static void target(GivenSettings given, Mistakes found, boolean written) {
    found.place(
        "POPULATOR_TARGET",
        Optional.of(given.shared().target()),
        PathChecks.volume(written),
        "the directory or the block device that is the volume");
  }

  private static void statusPort(PopulatorSettings settings, Mistakes found) {
    settings
        .statusPort()
        .ifPresent(port -> found.within("POPULATOR_STATUS_PORT", port, 1, LAST_PORT));
    if (settings.statusPort().isPresent() && settings.mode() == PopulatorSettings.Mode.SERVICE) {
      found.contradicts(
          "POPULATOR_STATUS_PORT",
          "no value, because a service has its status on QUARKUS_HTTP_PORT; only a job"
              + " (POPULATOR_MODE=job) has a separate port");
    }
  }

  /// Checks QUARKUS_HTTP_PORT, because Quarkus itself prints a stack trace for an invalid port.
  private static void port(GivenSettings given, Mistakes found) {
    given
        .config()
        .getOptionalValue("quarkus.http.port", String.class)
        .filter(port -> !isPort(port.strip()))
        .ifPresent(port ->
            found.add(
                new Mistake(
                    "QUARKUS_HTTP_PORT",
                    new Mistake.Found.Value(port),
                    "a number from 0 to " + LAST_PORT,
                    "8080")));
  }

  private static boolean isPort(String text) {
    return text.matches("[0-9]{1,5}") && Integer.parseInt(text) <= LAST_PORT;
  }

  private static void tls(PopulatorSettings.Tls tls, Mistakes found) {
    if (tls.key().isPresent() && tls.certificate().isEmpty()) {
      found.missing("POPULATOR_TLS_CERTIFICATE", "the certificate to POPULATOR_TLS_KEY");
    }
    if (tls.certificate().isPresent() && tls.key().isEmpty()) {
      found.missing("POPULATOR_TLS_KEY", "the key to POPULATOR_TLS_CERTIFICATE");
    }
    found.place(
        "POPULATOR_TLS_CERTIFICATE",
        tls.certificate(),
        PathChecks.text(
            MAX_PEM, text -> text.contains("-----BEGIN CERTIFICATE-----"), "no PEM in it"),
        "a file with a certificate chain (PEM)");
    found.place(
        "POPULATOR_TLS_KEY",
        tls.key(),
        PathChecks.text(MAX_PEM, text -> text.contains(" PRIVATE KEY-----"), "no PEM in it"),
        "a file with a private key (PEM, PKCS #8)");
    found.within("POPULATOR_TLS_PORT", tls.port(), 0, LAST_PORT);
    found.within("POPULATOR_TLS_RELOAD_PERIOD", tls.reloadPeriod(), SHORTEST, LONGEST);
  }

  private static void access(GivenSettings given, Mistakes found) {
    PopulatorSettings settings = given.shared();
    Optional<Auth> chosen = AuthChoice.of(settings, given.config());
    if (chosen.isEmpty()) {
      found.missing(
          "POPULATOR_AUTH",
          "POPULATOR_TOKEN_FILE with the clients' token, or another value here (none"
              + " means no authentication)");
      return;
    }
    switch (chosen.get()) {
      case NONE -> noToken(settings, found);
      case TOKEN -> {
        token(given, found);
        transport(given, found);
      }
      case TOKENREVIEW -> {
        noToken(settings, found);
        transport(given, found);
        CallerRules.check(settings, found);
        review(settings.tokenreview(), found);
      }
    }
  }

  /// Requires HTTPS for tokens, because a token that others can read in transit is not a secret
  /// (RFC 6750, section 5.3). HTTPS is not required if HTTP listens on a loopback address or does
  /// not listen, or if POPULATOR_HTTP_CLEARTEXT_TOKENS is true.
  private static void transport(GivenSettings given, Mistakes found) {
    PopulatorSettings settings = given.shared();
    boolean protectedOnItsWay =
        settings.tls().certificate().isPresent() || settings.tls().key().isPresent();
    if (!protectedOnItsWay
        && !settings.http().cleartextTokens()
        && !Loopback.listens(given.config())) {
      found.missing(
          "POPULATOR_TLS_CERTIFICATE",
          "it and POPULATOR_TLS_KEY, because others can read the tokens of clients on their way;"
              + " or on purpose POPULATOR_HTTP_CLEARTEXT_TOKENS=true");
    }
  }

  /// Refuses a token that the authentication does not use, because a user who sets a token expects
  /// that clients must send the token.
  private static void noToken(PopulatorSettings settings, Mistakes found) {
    if (settings.token().isPresent() || settings.tokenFile().isPresent()) {
      found.contradicts(
          "POPULATOR_AUTH",
          "token, because "
              + (settings.token().isPresent() ? "POPULATOR_TOKEN" : "POPULATOR_TOKEN_FILE")
              + " is set and has no effect otherwise");
    }
  }

  /// Returns the minimum length of a shared token in bytes. The length is 1 if HTTP listens on a
  /// loopback address or does not listen. Otherwise the length is 16, because RFC 6749, section
  /// 10.10, requires 128 bits.
  public static int leastTokenBytes(Config config) {
    return Loopback.listens(config) ? 1 : LEAST_TOKEN;
  }

  private static void token(GivenSettings given, Mistakes found) {
    PopulatorSettings settings = given.shared();
    int least = leastTokenBytes(given.config());
    if (settings.token().isPresent() && settings.tokenFile().isPresent()) {
      found.wrong("POPULATOR_TOKEN", "it or POPULATOR_TOKEN_FILE, not both");
    }
    if (settings.token().isEmpty() && settings.tokenFile().isEmpty()) {
      found.missing("POPULATOR_TOKEN_FILE", "a file with the token that POPULATOR_AUTH requires");
    }
    if (settings.tokenFile().isEmpty()
        && settings.token().filter(token -> !isLong(token, least)).isPresent()) {
      found.wrong("POPULATOR_TOKEN", "a token of at least " + least + " bytes");
    }
    found.place(
        "POPULATOR_TOKEN_FILE",
        settings.tokenFile(),
        PathChecks.text(
            MAX_TOKEN,
            text -> isLong(text, least),
            least == 1 ? "empty" : "fewer than " + least + " bytes"),
        "a file with a token of at most " + MAX_TOKEN + " bytes");
  }

  private static boolean isLong(String token, int least) {
    return token.strip().getBytes(StandardCharsets.UTF_8).length >= least;
  }

  private static void review(PopulatorSettings.TokenReview review, Mistakes found) {
    review
        .apiServer()
        .filter(server -> !isHttps(server))
        .ifPresent(_ -> found.wrong("POPULATOR_TOKENREVIEW_API_SERVER", "https://HOST[:PORT]"));
    found.within("POPULATOR_TOKENREVIEW_CACHE", review.cache(), Duration.ZERO, LONGEST_CACHE);
    for (String name : List.of("token", "ca.crt")) {
      found.place(
          "POPULATOR_TOKENREVIEW_SERVICE_ACCOUNT",
          Optional.of(review.serviceAccount()),
          directory -> PathChecks.file().fault(directory.resolve(name)).map(it -> name + ": " + it),
          "a directory with this pod's token and ca.crt");
    }
  }

  private static boolean isHttps(URI server) {
    return "https".equals(server.getScheme()) && server.getHost() != null;
  }
}
