package dev.pvcpopulators.populate.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.Problem;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.client.Credentials;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the requests of an upload to a server. Each test sets the server's answers.
final class UploadClientTest {
  private static final String TOKEN = "a-token-of-a-test";
  private static final char[] PASSWORD = "password".toCharArray();

  /// A server's key and its certificate in PEM.
  private record Keys(KeyStore store, String certificate) {
    static Keys make(Path file) throws Exception {
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  // The `-J` flags halve the CPU time of keytool.
                  "-J-XX:TieredStopAtLevel=1",
                  "-J-XX:+UseSerialGC",
                  "-genkeypair",
                  "-keyalg",
                  "EC",
                  "-alias",
                  "pod",
                  "-dname",
                  "CN=pod",
                  "-storetype",
                  "PKCS12",
                  "-storepass",
                  new String(PASSWORD),
                  "-keystore",
                  file.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      assertEquals(0, keytool.waitFor());
      KeyStore store = KeyStore.getInstance(file.toFile(), PASSWORD);
      String pem =
          "-----BEGIN CERTIFICATE-----\n"
              + Base64.getMimeEncoder().encodeToString(store.getCertificate("pod").getEncoded())
              + "\n-----END CERTIFICATE-----\n";
      return new Keys(store, pem);
    }
  }

  @TempDir private static Path directory;
  private static Keys keys;

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int status = 204;
  private volatile byte[] body = new byte[0];
  private volatile String offset = "0";
  private HttpsServer server;

  @BeforeAll
  static void makeKeys() throws Exception {
    keys = Keys.make(directory.resolve("pod.p12"));
  }

  @BeforeEach
  void start() throws Exception {
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys.store(), PASSWORD);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext("/upload", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    int bytes = exchange.getRequestBody().readAllBytes().length;
    StringBuilder request = new StringBuilder(exchange.getRequestMethod() + " " + bytes);
    String query = exchange.getRequestURI().getQuery();
    request.append(query == null ? "" : "?" + query);
    for (String field :
        List.of(
            "Authorization",
            "Content-Range",
            "Upload-Key",
            "Upload-Offset",
            "Upload-Complete",
            "Repr-Digest")) {
      String value = exchange.getRequestHeaders().getFirst(field);
      request.append(value == null ? "" : "; " + field + ": " + value);
    }
    requests.add(request.toString());
    exchange.getResponseHeaders().set("Upload-Offset", offset);
    exchange.getResponseHeaders().set("Upload-Complete", "?0");
    exchange.getResponseHeaders().set("Upload-Key", "key");
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private UploadClient client(String certificate) throws IOException {
    URI url = URI.create("https://127.0.0.1:%d/upload".formatted(server.getAddress().getPort()));
    return new UploadClient(url, certificate, new Credentials.Token(TOKEN));
  }

  @Test
  void sendsAnUploadInParts() throws Exception {
    String authorization = "; Authorization: Bearer " + TOKEN;
    try (UploadClient client = client(keys.certificate())) {
      assertEquals(new Place("key", 0, false), client.place());
      offset = "4";
      assertEquals(
          4, client.begin("key", Optional.of(ImageFormat.RAW), new byte[8], 4, OptionalLong.of(6)));
      offset = "6";
      assertEquals(6, client.proceed("key", 4, new byte[8], 2));
      client.finish("key", 6, "00ff".repeat(16));
    }
    assertEquals(
        List.of(
            "HEAD 0" + authorization,
            "PUT 4?format=raw%s; Content-Range: bytes 0-3/6; Upload-Key: key; Upload-Complete: ?0"
                .formatted(authorization),
            "PATCH 2%s; Upload-Key: key; Upload-Offset: 4; Upload-Complete: ?0"
                .formatted(authorization),
            "PATCH 0%s; Upload-Key: key; Upload-Offset: 6; Upload-Complete: ?1; Repr-Digest: sha-256=:%s:"
                .formatted(authorization, "AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8A/wD/AP8=")),
        requests);
  }

  @Test
  void aProblemHasItsKindAndExitCode() throws Exception {
    status = 413;
    body = Problem.of(new Failure.ExceedsVolume("too\nlarge", 2, 1, false)).toJson();
    try (UploadClient client = client(keys.certificate())) {
      VolumeException e =
          assertThrows(
              VolumeException.class,
              () -> client.begin("key", Optional.empty(), new byte[1], 1, OptionalLong.empty()));
      assertEquals("exceeds-volume", e.failure().kind());
      assertEquals("Beginning the upload: too?large", e.failure().detail());
    }
  }

  /// A proxy may send an answer that is not a problem document. The client treats such an answer as
  /// a lost connection, because the next connection may reach the service.
  @Test
  void anotherAnswerMayPass() throws Exception {
    status = 502;
    body = "<html>".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    try (UploadClient client = client(keys.certificate())) {
      assertThrows(IOException.class, () -> client.proceed("key", 1, new byte[1], 1));
    }
  }

  /// An answer to HEAD has no body, so the client must recognise a wrong token by the status alone.
  @Test
  void aWrongTokenIsPermanent() throws Exception {
    status = 401;
    try (UploadClient client = client(keys.certificate())) {
      VolumeException e = assertThrows(VolumeException.class, client::place);
      assertInstanceOf(Failure.Unauthenticated.class, e.failure());
      assertFalse(e.failure().detail().contains(TOKEN), e.failure()::detail);
    }
  }

  @Test
  void theTokenIsSentOnlyToTheServerOfTheClaim() throws Exception {
    Keys others = Keys.make(directory.resolve("other.p12"));
    try (UploadClient client = client(others.certificate())) {
      IOException e = assertThrows(IOException.class, client::place);
      assertTrue(String.valueOf(e.getMessage()).contains("certificate"), e::toString);
    }
    assertEquals(List.of(), requests);
  }
}
