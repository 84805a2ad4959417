package dev.pvcpopulators.volume.security;

import dev.pvcpopulators.volume.settings.AuthChoice;
import dev.pvcpopulators.volume.settings.PopulatorSettings;
import dev.pvcpopulators.volume.settings.PopulatorSettings.Auth;
import dev.pvcpopulators.volume.settings.SharedRules;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.microprofile.config.Config;

/// Makes of the settings who may use the service, or refuses to start.
final class AccessRules {
  private static final Duration LONGEST_KEEP = Duration.ofSeconds(60);

  private final PopulatorSettings settings;
  private final Config config;

  AccessRules(PopulatorSettings settings, Config config) {
    this.settings = settings;
    this.config = config;
  }

  /// The rule that holds.
  ///
  /// @throws ConfigurationException where the settings contradict each other, or are missing on an
  ///   address that others reach
  Access access() {
    return switch (auth()) {
      case NONE -> (_, _) -> CompletableFuture.completedStage(Access.Decision.ALLOWED);
      case TOKEN -> sharedToken();
      case TOKENREVIEW -> reviewedToken();
    };
  }

  /// [dev.pvcpopulators.volume.settings.StartCheck] has said it before, and all else with it; who
  /// does without that check still lets nobody in by accident.
  private Auth auth() {
    return AuthChoice.of(settings, config)
        .orElseThrow(() ->
            new ConfigurationException(
                "There is no authentication: set POPULATOR_TOKEN_FILE (or POPULATOR_TOKEN),"
                    + " POPULATOR_AUTH=tokenreview, or on purpose POPULATOR_AUTH=none"));
  }

  private Access sharedToken() {
    if (settings.token().isPresent() && settings.tokenFile().isPresent()) {
      throw new ConfigurationException("Set POPULATOR_TOKEN_FILE or POPULATOR_TOKEN, not both");
    }
    SharedToken.Origin origin;
    if (settings.tokenFile().isPresent()) {
      origin = new SharedToken.Origin.File(settings.tokenFile().get());
    } else {
      origin =
          new SharedToken.Origin.Setting(
              settings
                  .token()
                  .orElseThrow(() ->
                      new ConfigurationException(
                          "POPULATOR_AUTH=token: set POPULATOR_TOKEN_FILE")));
    }
    try {
      return new SharedToken(origin, SharedRules.leastTokenBytes(config));
    } catch (IOException e) {
      throw new ConfigurationException("Reading the token: " + e, e);
    }
  }

  private Access reviewedToken() {
    PopulatorSettings.TokenReview review = settings.tokenreview();
    List<String> audiences = review.audiences().orElse(List.of());
    List<String> users = review.users().orElse(List.of());
    if (audiences.isEmpty() && users.isEmpty()) {
      throw new ConfigurationException(
          "POPULATOR_AUTH=tokenreview: set POPULATOR_TOKENREVIEW_AUDIENCES or"
              + " POPULATOR_TOKENREVIEW_USERS, or every pod of the cluster may call");
    }
    URI server = review.apiServer().orElseGet(this::clusterApiServer);
    Duration keep = review.cache().compareTo(LONGEST_KEEP) < 0 ? review.cache() : LONGEST_KEEP;
    Path account = review.serviceAccount();
    return new ReviewedToken(
        new ReviewedToken.Review(
            server.resolve("/apis/authentication.k8s.io/v1/tokenreviews"),
            account.resolve("token"),
            audiences,
            users,
            keep),
        client(account.resolve("ca.crt")),
        Clock.systemUTC());
  }

  private URI clusterApiServer() {
    String host =
        config
            .getOptionalValue("KUBERNETES_SERVICE_HOST", String.class)
            .orElse("kubernetes.default.svc");
    String port = config.getOptionalValue("KUBERNETES_SERVICE_PORT", String.class).orElse("443");
    return URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
  }

  private static HttpClient client(Path authority) {
    try (InputStream in = Files.newInputStream(authority)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      int index = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("ca-" + index++, certificate);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return HttpClient.newBuilder()
          .sslContext(tls)
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
    } catch (IOException | GeneralSecurityException e) {
      throw new ConfigurationException(
          "Reading the cluster's authority " + authority + ": " + e, e);
    }
  }
}
