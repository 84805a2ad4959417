package dev.pvcpopulators.images;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class TrustStoreTest {
  @TempDir Path directory;

  @Test
  void keytoolReadsTheCertificatesOfOpenssl() throws Exception {
    Path store = directory.resolve("cacerts");
    TrustStore.write(store, List.of(authority("Second"), authority("First")));
    String listed =
        Command.run(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            // The `-J` flags halve the CPU time of keytool.
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-list",
            "-keystore",
            store.toString(),
            "-storepass",
            "");
    assertTrue(listed.contains("2 entries"), listed);
    assertTrue(listed.contains("first, ") && listed.contains("second, "), listed);
    assertTrue(listed.contains("trustedCertEntry"), listed);
  }

  @Test
  void hasTheSameBytesInAnyOrder() throws Exception {
    Path first = authority("First");
    Path second = authority("Second");
    assertArrayEquals(bytes(first, second), bytes(second, first));
  }

  private byte[] bytes(Path... certificates) throws IOException, GeneralSecurityException {
    Path store = directory.resolve("store");
    TrustStore.write(store, List.of(certificates));
    return Files.readAllBytes(store);
  }

  private Path authority(String name) throws IOException, InterruptedException {
    Path certificate = directory.resolve(name + ".crt");
    Command.run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ed25519",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=" + name,
        "-keyout",
        "/dev/null",
        "-out",
        certificate.toString());
    return certificate;
  }
}
