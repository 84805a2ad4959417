package dev.pvcpopulators.kit.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.kit.lifecycle.Certificates;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CertificatePairTest {
  private final Vertx vertx = Vertx.vertx();

  @TempDir Path directory;

  @AfterEach
  void closeVertx() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Path pair(String name, String algorithm) throws IOException {
    Path made = Files.createDirectory(directory.resolve(name));
    Certificates.make(made, name, algorithm);
    return made;
  }

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void refusesTheKeyOfAnotherCertificate(String algorithm) throws Exception {
    Path one = pair("one", algorithm);
    Path other = pair("other", algorithm);
    CertificatePair.check(vertx, one.resolve("tls.crt"), one.resolve("tls.key"));
    GeneralSecurityException thrown =
        assertThrows(
            GeneralSecurityException.class,
            () -> CertificatePair.check(vertx, one.resolve("tls.crt"), other.resolve("tls.key")));
    assertEquals("the certificate does not match its key", thrown.getMessage());
  }
}
