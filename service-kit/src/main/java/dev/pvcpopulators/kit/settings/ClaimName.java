package dev.pvcpopulators.kit.settings;

import dev.pvcpopulators.kit.text.OneLine;
import dev.pvcpopulators.volume.PvcSource;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.Config;

/// The name of the claim that a service populates. A pod cannot discover this name, so the user has
/// to set it. The default name `demo` applies only if HTTP listens on a loopback address, or does
/// not listen, as in most Jobs.
///
/// @param value a DNS-1123 subdomain
public record ClaimName(String value) {
  private static final int MAX_LENGTH = 253;
  private static final Pattern SUBDOMAIN =
      Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

  /// Checks that Kubernetes accepts the name.
  ///
  /// @throws ConfigurationException if the name is invalid
  public ClaimName {
    if (!isOne(value)) {
      throw new ConfigurationException(
          "POPULATOR_CLAIM_NAME: expected the name of a claim, found '" + value + "'");
    }
  }

  /// Returns whether Kubernetes accepts a text as the name of a claim.
  static boolean isOne(String text) {
    return text.length() <= MAX_LENGTH && SUBDOMAIN.matcher(text).matches();
  }

  /// Reports a missing name, unless the default name applies. Used by services whose answer to `PUT
  /// /volume` names the claim.
  public static void require(GivenSettings given, Mistakes found) {
    if (given.shared().claimName().isEmpty() && !Loopback.listens(given.config())) {
      found.missing(
          "POPULATOR_CLAIM_NAME",
          "the name of the claim that is mounted at "
              + OneLine.of(given.shared().target().toString()));
    }
  }

  /// Returns the configured name. If no name is configured, and HTTP listens on a loopback address
  /// or does not listen, returns `demo`.
  ///
  /// @throws ConfigurationException if the configured name is invalid, or if no name is configured
  ///   and [Loopback#listens] returns false
  public static ClaimName of(PopulatorSettings settings, Config config) {
    if (settings.claimName().isPresent()) {
      return new ClaimName(settings.claimName().get());
    }
    if (Loopback.listens(config)) {
      return new ClaimName("demo");
    }
    throw new ConfigurationException(
        "POPULATOR_CLAIM_NAME: set the name of the claim that is mounted at " + settings.target());
  }

  /// Returns the reference to the claim. The reference is the answer to `PUT /volume`.
  public PvcSource source() {
    return new PvcSource(value);
  }
}
