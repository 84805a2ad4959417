package dev.pvcpopulators.operator.child;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lets OpenSSL check the certificates of uploads.
@Tag("tools")
final class ServerCertificateTest {
  private static final List<String> NAMES = List.of("upload-u1.vms.svc", "localhost");
  private static final Instant FROM = Instant.parse("2026-11-24T10:00:00Z");
  private static final Instant UNTIL = Instant.parse("2026-11-26T10:00:00Z");

  @TempDir private Path directory;

  @Test
  void opensslReadsIt() throws IOException, InterruptedException {
    String text = openssl("x509", "-noout", "-text", "-in", certificate(FROM, UNTIL).toString());
    for (String expected :
        List.of(
            "Version: 3",
            "ecdsa-with-SHA256",
            "DNS:upload-u1.vms.svc, DNS:localhost",
            "Not Before: Nov 24 10:00:00 2026 GMT",
            "Not After : Nov 26 10:00:00 2026 GMT",
            "CA:FALSE",
            "Digital Signature",
            "TLS Web Server Authentication")) {
      assertTrue(text.contains(expected), expected + " in " + text);
    }
  }

  @Test
  void opensslVerifiesItForItsNames() throws IOException, InterruptedException {
    String file = certificate(FROM, UNTIL).toString();
    String at = Long.toString(FROM.plusSeconds(60).getEpochSecond());
    for (String name : NAMES) {
      String said =
          openssl(
              "verify",
              "-x509_strict",
              "-purpose",
              "sslserver",
              "-attime",
              at,
              "-verify_hostname",
              name,
              "-CAfile",
              file,
              file);
      assertTrue(said.endsWith(": OK"), said);
    }
  }

  @Test
  void datesAfter2049HaveFourDigitsOfTheYear() throws IOException, InterruptedException {
    String text =
        openssl(
            "x509",
            "-noout",
            "-enddate",
            "-in",
            certificate(FROM, Instant.parse("2051-01-02T03:04:05Z")).toString());
    assertEquals("notAfter=Jan  2 03:04:05 2051 GMT", text);
  }

  @Test
  void keyBelongsToTheCertificate() throws IOException, InterruptedException {
    ServerCertificate made = ServerCertificate.of(NAMES, FROM, UNTIL);
    Path key = Files.writeString(directory.resolve("key"), made.key());
    Path certificate = Files.writeString(directory.resolve("crt"), made.certificate());
    assertEquals(
        openssl("x509", "-noout", "-pubkey", "-in", certificate.toString()),
        openssl("pkey", "-pubout", "-in", key.toString()));
    assertNotEquals(made.key(), ServerCertificate.of(NAMES, FROM, UNTIL).key());
  }

  private Path certificate(Instant from, Instant until) throws IOException {
    return Files.writeString(
        directory.resolve("certificate"), ServerCertificate.of(NAMES, from, until).certificate());
  }

  private static String openssl(String... arguments) throws IOException, InterruptedException {
    List<String> command = new java.util.ArrayList<>(List.of("openssl"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    assertEquals(0, process.waitFor(), said);
    return said;
  }
}
