package dev.pvcpopulators.http;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Objects;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/// Distinguishes transient TLS failures from TLS failures for which an immediate retry is useless,
/// such as a refused certificate.
///
/// The names in a refused certificate are logged, but the exception does not contain them: a client
/// of the service may have chosen the server's address, and must not learn these names.
final class TlsFailure {
  private static final Logger LOG = System.getLogger(TlsFailure.class.getName());

  private TlsFailure() {}

  /// Returns the exception to throw for a TLS failure; a transient failure is returned unchanged.
  ///
  /// @param authority `host[:port]` of the server
  /// @param insecureSetting the setting that lists the hosts to which plain HTTP is allowed, for
  ///   the message
  static IOException of(String authority, String insecureSetting, SSLException failure) {
    String action = "Cannot reach " + authority + " by HTTPS: ";
    if (failure instanceof SSLPeerUnverifiedException) {
      log(authority, failure);
      return new SourceUnavailableException(action + "its certificate is for another host");
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        log(authority, cause);
        return new SourceUnavailableException(action + untrusted(failure));
      }
    }
    if (Objects.toString(failure.getMessage(), "").startsWith("Unsupported or unrecognized")) {
      return new SourceDeniedException(
          action
              + "it does not support TLS; to use plain HTTP, list "
              + authority
              + " in "
              + insecureSetting,
          failure);
    }
    return failure;
  }

  private static String untrusted(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateExpiredException) {
        return "its certificate has expired";
      }
      if (cause instanceof CertificateNotYetValidException) {
        return "its certificate is not valid yet";
      }
      if (Objects.toString(cause.getMessage(), "").startsWith("No subject alternative")
          || Objects.toString(cause.getMessage(), "").startsWith("No name matching")) {
        return "its certificate is for another host";
      }
    }
    return "its certificate is not trusted; set the CA bundle to the PEM file of its certificate"
        + " authority";
  }

  private static void log(String authority, Throwable failure) {
    LOG.log(
        Level.DEBUG,
        "Refused a certificate: host={0} reason={1}",
        authority,
        VisibleAscii.of(Objects.toString(failure.getMessage(), "none given")));
  }
}
