package dev.pvcpopulators.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// HTTPS with a certificate of our own.
final class TlsTest {
  @Test
  void uploadsOverHttps(@TempDir Path directory) throws IOException, InterruptedException {
    Path certificate = directory.resolve("tls.crt");
    Path key = directory.resolve("tls.key");
    Command.run(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=DNS:localhost",
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
    Path disk = Recipe.qcow2().getFirst().make(directory, Seed.of("TlsTest").random());
    VolumeDirectory volume = VolumeDirectory.in(directory, "volume");
    int port = FreePort.any();
    Launch launch =
        Launch.on(volume.path())
            .with("POPULATOR_TLS_CERTIFICATE", certificate.toString())
            .with("POPULATOR_TLS_KEY", key.toString())
            .with("POPULATOR_TLS_PORT", Integer.toString(port));
    try (Service service = launch.start()) {
      assertEquals("https", service.base().getScheme());
      URI upload = URI.create("https://localhost:" + port + "/upload/");
      Curl.upload(
              disk,
              upload,
              "--cacert",
              certificate.toString(),
              "--resolve",
              "localhost:" + port + ":127.0.0.1")
          .expect(201);
    }
    volume.assertOneDisk();
    QemuImg.assertIdentical(disk, "qcow2", volume.disk());
  }
}
