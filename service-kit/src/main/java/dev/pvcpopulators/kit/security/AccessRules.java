package dev.pvcpopulators.kit.security;

import dev.pvcpopulators.kit.settings.AuthChoice;
import dev.pvcpopulators.kit.settings.CallerRules;
import dev.pvcpopulators.kit.settings.PopulatorSettings;
import dev.pvcpopulators.kit.settings.PopulatorSettings.Auth;
import dev.pvcpopulators.kit.settings.SharedRules;
import dev.pvcpopulators.volume.client.Trust;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.eclipse.microprofile.config.Config;

/// Derives the access rule from the settings. Contradictory or incomplete settings prevent the
/// start of the service.
record AccessRules(PopulatorSettings settings, Config config) {

  /// Returns the access rule.
  ///
  /// @throws ConfigurationException if the settings contradict each other or are incomplete, or if
  ///   a file that they name cannot be used
  Access access() {
    return switch (auth()) {
      case NONE -> (_, _) -> CompletableFuture.completedStage(Access.Decision.ALLOWED);
      case TOKEN -> sharedToken();
      case TOKENREVIEW -> reviewedToken();
    };
  }

  /// Returns the authentication. Usually [dev.pvcpopulators.kit.settings.StartCheck] has already
  /// reported a missing authentication. This method throws, too, because access must not be allowed
  /// by accident if the service starts without that check.
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
    if (settings.token().isEmpty() && settings.tokenFile().isEmpty()) {
      throw new ConfigurationException("POPULATOR_AUTH=token: set POPULATOR_TOKEN_FILE");
    }
    try {
      return new GuessLimit(
          new SharedToken(
              settings.token(), settings.tokenFile(), SharedRules.leastTokenBytes(config)),
          System::nanoTime);
    } catch (IOException e) {
      throw new ConfigurationException("Reading the token: " + e, e);
    }
  }

  private Access reviewedToken() {
    PopulatorSettings.TokenReview review = settings.tokenreview();
    CallerRules callers =
        CallerRules.of(settings)
            .orElseThrow(() ->
                new ConfigurationException(
                    "POPULATOR_AUTH=tokenreview: set POPULATOR_NAMESPACE and POPULATOR_CLAIM_NAME,"
                        + " or POPULATOR_TOKENREVIEW_AUDIENCES and POPULATOR_TOKENREVIEW_USERS"));
    URI server = review.apiServer().orElseGet(this::clusterApiServer);
    Path account = review.serviceAccount();
    return new ReviewedToken(
        new ReviewedToken.Review(
            server.resolve("/apis/authentication.k8s.io/v1/tokenreviews"),
            account.resolve("token"),
            callers,
            review.cache()),
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
    try {
      return HttpClient.newBuilder()
          .sslContext(new Trust.SignedBy(authority).context().orElseThrow())
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
    } catch (IOException e) {
      throw new ConfigurationException(
          "Reading the cluster's authority " + authority + ": " + e, e);
    }
  }
}
