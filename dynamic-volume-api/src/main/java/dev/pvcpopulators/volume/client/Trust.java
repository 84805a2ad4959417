package dev.pvcpopulators.volume.client;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/// The rule by which a client authenticates the service. With plain HTTP, the client does not
/// authenticate the service.
public sealed interface Trust {
  /// Accepts a certificate that the JDK trusts and that is valid for the name in the address.
  record Usual() implements Trust {}

  /// Accepts a certificate that an authority of a PEM file has signed and that is valid for the
  /// name in the address. The PEM file has at most 1 MiB.
  record SignedBy(Path authorities) implements Trust {}

  /// Accepts only the given certificate, during its validity period, for any name in the address.
  /// The name is not checked, because the address of a pod is not known when its certificate is
  /// made.
  ///
  /// @param certificate the certificate in PEM form
  record Exactly(String certificate) implements Trust {}

  /// Returns the TLS context of a client that follows this rule; empty for the JDK's default.
  ///
  /// @throws IOException if the certificates cannot be read
  default Optional<SSLContext> context() throws IOException {
    return switch (this) {
      case Usual _ -> Optional.empty();
      case SignedBy(Path authorities) -> Optional.of(Authorities.trusting(authorities));
      case Exactly(String certificate) -> Optional.of(exactly(certificate));
    };
  }

  private static SSLContext exactly(String certificate) throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new PinnedCertificate(certificate)}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("Reading the certificate of a service", e);
    }
  }
}
