package dev.pvcpopulators.kit.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.kit.lifecycle.Certificates;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("tools")
@QuarkusTest
@TestProfile(TlsReloadTest.Https.class)
class TlsReloadTest {
  private static final long POLL_MILLIS = 50;

  /// Sets only three settings for TLS: the certificate, the key and the reload period.
  public static final class Https implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      try {
        Path directory = Files.createTempDirectory("tls-reload");
        Certificates.make(directory, "first");
        return Map.of(
            "populator.tls.certificate", directory.resolve("tls.crt").toString(),
            "populator.tls.key", directory.resolve("tls.key").toString(),
            "populator.tls.reload-period", "1s");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @TestHTTPResource(tls = true)
  @Nullable URI https;

  private static Path directory() {
    return Path.of(ConfigProvider.getConfig().getValue("populator.tls.certificate", String.class))
        .resolveSibling(".")
        .normalize();
  }

  @Test
  void newCertificateIsServedWithoutARestart() throws Exception {
    Certificates.make(directory(), "second");
    awaitServed("CN=second");
  }

  @Test
  void certificateOfAnotherKeyIsNotServed() throws Exception {
    Path directory = directory();
    String matching = subject();
    CountDownLatch warned = new CountDownLatch(1);
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord logged) {
            if (logged.getLevel().intValue() >= Level.WARNING.intValue()) {
              warned.countDown();
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(CertificateReload.class.getName());
    logger.addHandler(handler);
    try {
      Path other = Files.createTempDirectory("tls-other");
      Certificates.make(other, "other");
      Files.move(
          other.resolve("tls.crt"),
          directory.resolve("tls.crt"),
          StandardCopyOption.REPLACE_EXISTING);
      assertTrue(warned.await(5, TimeUnit.MINUTES), "a warning");
      assertEquals(matching, subject());
      Files.move(
          other.resolve("tls.key"),
          directory.resolve("tls.key"),
          StandardCopyOption.REPLACE_EXISTING);
      awaitServed("CN=other");
    } finally {
      logger.removeHandler(handler);
    }
  }

  private void awaitServed(String name) throws Exception {
    Instant end = Instant.now().plus(Duration.ofMinutes(5));
    while (!served(name)) {
      assertTrue(Instant.now().isBefore(end), name + " is served");
      Thread.sleep(POLL_MILLIS);
    }
  }

  @Test
  void clearTextIsOff() {
    assertEquals(
        "disabled",
        ConfigProvider.getConfig().getValue("quarkus.http.insecure-requests", String.class));
  }

  /// Returns true if the service presents the certificate with this name. While the certificate
  /// changes, the handshake may fail; then the result is false.
  private boolean served(String name) throws Exception {
    try {
      return subject().equals(name);
    } catch (IOException _) {
      return false;
    }
  }

  private String subject() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {Certificates.TRUSTING}, null);
    try (SSLSocket socket =
        (SSLSocket)
            context
                .getSocketFactory()
                .createSocket("localhost", Objects.requireNonNull(https).getPort())) {
      socket.startHandshake();
      X509Certificate served = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      return served.getSubjectX500Principal().getName();
    }
  }
}
