package dev.pvcpopulators.kit.job;

import dev.pvcpopulators.kit.settings.StartCheck;
import dev.pvcpopulators.terminal.PlainText;
import io.quarkus.runtime.QuarkusBindException;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.ConfigValidationException;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.Config;

/// The reason why a service did not start although [StartCheck] found no mistake in its settings.
///
/// @param reason a sentence for a person
/// @param code the exit code of the process
record FailedStart(String reason, int code) {
  static final int CONFIG = 78;

  /// `EX_TEMPFAIL` of sysexits.h: a later start may succeed, for example when the address is free.
  static final int LATER = 75;

  private static final String IN_USE = "in use";

  /// Returns the reason of a failed start; empty if the cause may be a defect.
  static Optional<FailedStart> of(Throwable cause, StartCheck.Result settings) {
    Config config = settings.given().config();
    String host = text(config, "quarkus.http.host");
    return Stream.iterate(cause, Objects::nonNull, Throwable::getCause)
        .flatMap(at -> known(at, host, config).stream())
        .findFirst();
  }

  private static Optional<FailedStart> known(Throwable cause, String host, Config config) {
    return switch (cause) {
      case ConfigurationException _, ConfigValidationException _ ->
          Optional.of(new FailedStart(String.valueOf(cause.getMessage()), CONFIG));
      case QuarkusBindException taken -> Optional.of(new FailedStart(bind(taken, config), LATER));
      case BindException taken ->
          Optional.of(new FailedStart("cannot listen: " + taken.getMessage(), LATER));
      case UnknownHostException unknown when String.valueOf(unknown.getMessage()).contains(host) ->
          Optional.of(unknown(host));
      case UnresolvedAddressException _ -> Optional.of(unknown(host));
      default -> Optional.empty();
    };
  }

  private static FailedStart unknown(String host) {
    return new FailedStart(
        "no address is known of " + host + "; set QUARKUS_HTTP_HOST to another", LATER);
  }

  private static String bind(QuarkusBindException taken, Config config) {
    String port = Integer.toString(taken.getPort());
    String variable = variable(port, config);
    String message = String.valueOf(taken.getMessage());
    // The part of the message before the last colon is not used: it only states the port, which is
    // also in the returned text.
    String why = message.substring(message.lastIndexOf(": ") + 1).strip();
    return why.contains(IN_USE)
        ? "port %s of %s is taken; set %s to another".formatted(port, taken.getHost(), variable)
        : "cannot listen on port %s of %s: %s; set QUARKUS_HTTP_HOST or %s to another"
            .formatted(port, taken.getHost(), why, variable);
  }

  /// Returns the setting that determines the port.
  private static String variable(String port, Config config) {
    if (port.equals(text(config, "populator.status-port"))) {
      return "POPULATOR_STATUS_PORT";
    }
    return port.equals(text(config, "quarkus.http.ssl-port"))
        ? "POPULATOR_TLS_PORT"
        : "QUARKUS_HTTP_PORT";
  }

  private static String text(Config config, String property) {
    return PlainText.line(config.getOptionalValue(property, String.class).orElse(""));
  }
}
