package dev.pvcpopulators.operator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pvcpopulators.operator.api.DiskImageSpec;
import dev.pvcpopulators.operator.api.DiskPopulation;
import dev.pvcpopulators.operator.api.DiskPopulationSpec;
import dev.pvcpopulators.operator.api.UploadSource;
import dev.pvcpopulators.operator.child.Tokens;
import dev.pvcpopulators.operator.child.UploadAccess;
import dev.pvcpopulators.operator.status.Progress;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/// Checks that the operator sends the token in a status request, and that it accepts only the
/// expected certificate over TLS.
final class PodStatusTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final String STATUS =
      "{\"phase\":\"Transferring\",\"bytesIn\":5,\"bytesOut\":3,\"totalBytes\":10,\"percent\":50,"
          + "\"bytesPerSecond\":2048,\"etaSeconds\":75}";

  @Test
  void readsTheNumbersWithTheToken() throws IOException, InterruptedException {
    HttpServer server = serve(HttpServer.create(loopback(), 0), STATUS);
    try (PodStatus status = new PodStatus("127.0.0.1", port(server), TOKEN, null)) {
      assertEquals(new Progress(5, 3, 10, 50, 2048, 75), status.read());
    } finally {
      server.stop(0);
    }
  }

  @Test
  void refusesWrongTokensAndInvalidStatuses() throws IOException {
    HttpServer server = serve(HttpServer.create(loopback(), 0), "{\"bytesIn\":\"many\"}");
    try (PodStatus wrongToken = new PodStatus("127.0.0.1", port(server), "another", null);
        PodStatus right = new PodStatus("127.0.0.1", port(server), TOKEN, null)) {
      assertThrows(IOException.class, wrongToken::read);
      assertThrows(IOException.class, right::read);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void anAnswerWithoutEndIsCutOff() throws IOException {
    HttpServer server = serve(HttpServer.create(loopback(), 0), STATUS + " ".repeat(1 << 20));
    try (PodStatus status = new PodStatus("127.0.0.1", port(server), TOKEN, null)) {
      assertThrows(IOException.class, status::read);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void anUploadsServerHasTheCertificateOfThatUpload()
      throws IOException, InterruptedException, GeneralSecurityException {
    UploadAccess one = access();
    UploadAccess another = access();
    HttpsServer server = HttpsServer.create(loopback(), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context(one.server().getStringData())));
    serve(server, STATUS);
    try (PodStatus right =
            new PodStatus("127.0.0.1", port(server), TOKEN, one.told().certificate());
        PodStatus wrong =
            new PodStatus("127.0.0.1", port(server), TOKEN, another.told().certificate())) {
      assertEquals(50, right.read().percent());
      assertThrows(SSLHandshakeException.class, wrong::read);
    } finally {
      server.stop(0);
    }
  }

  private static <S extends HttpServer> S serve(S server, String body) {
    server.createContext(
        "/volume/status",
        exchange -> {
          boolean allowed =
              ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
          byte[] bytes = body.getBytes(UTF_8);
          exchange.sendResponseHeaders(allowed ? 200 : 401, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static int port(HttpServer server) {
    return server.getAddress().getPort();
  }

  private static UploadAccess access() {
    PersistentVolumeClaim claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withNamespace("vms")
            .withName("vm1")
            .withUid("u1")
            .endMetadata()
            .build();
    DiskPopulation population = new DiskPopulation();
    population.getMetadata().setUid("p1");
    population.setSpec(
        new DiskPopulationSpec(
            "u1",
            "fedora",
            new DiskImageSpec(
                null, null, new UploadSource(null, null), null, null, null, null, null)));
    return UploadAccess.of(claim, population, new Tokens(new byte[32]), Instant.now());
  }

  private static SSLContext context(Map<String, String> secret)
      throws GeneralSecurityException, IOException {
    Certificate certificate =
        CertificateFactory.getInstance("X.509")
            .generateCertificate(
                new ByteArrayInputStream(text(secret, "tls.crt").getBytes(US_ASCII)));
    byte[] key = Base64.getMimeDecoder().decode(text(secret, "tls.key").replaceAll("-.*-", ""));
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(
        "server",
        KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
        new char[0],
        new Certificate[] {certificate});
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, new char[0]);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  private static String text(Map<String, String> secret, String key) {
    return java.util.Objects.requireNonNull(secret.get(key), key);
  }
}
