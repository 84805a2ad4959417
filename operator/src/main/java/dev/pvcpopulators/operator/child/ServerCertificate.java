package dev.pvcpopulators.operator.child;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/// A self-signed certificate (RFC 5280) for the server of one pod, and the certificate's private
/// key. Clients trust only this certificate, so no certificate authority is needed.
///
/// @param certificate PEM
/// @param key PEM, PKCS #8
public record ServerCertificate(String certificate, String key) {
  private static final int VERSION_3 = 2;
  private static final int SERIAL_BITS = 127;
  private static final int LINE = 64;

  private static final byte[] ECDSA_WITH_SHA256 =
      Der.sequence(Der.identifier(1, 2, 840, 10045, 4, 3, 2));
  private static final byte[] COMMON_NAME = Der.identifier(2, 5, 4, 3);
  private static final byte[] KEY_USAGE = Der.identifier(2, 5, 29, 15);
  private static final byte[] SUBJECT_ALTERNATIVE_NAME = Der.identifier(2, 5, 29, 17);
  private static final byte[] BASIC_CONSTRAINTS = Der.identifier(2, 5, 29, 19);
  private static final byte[] EXTENDED_KEY_USAGE = Der.identifier(2, 5, 29, 37);
  private static final byte[] SERVER = Der.identifier(1, 3, 6, 1, 5, 5, 7, 3, 1);

  /// Key usage `digitalSignature`: seven unused bits, the first bit set.
  private static final byte[] SIGNS = Der.value(Der.BIT_STRING, new byte[] {7, (byte) 0x80});

  private static final int DNS_NAME = 2;
  private static final int EXTENSIONS = 3;

  /// Creates a key pair and its certificate.
  ///
  /// @param dnsNames DNS names of the server, at least one
  public static ServerCertificate of(List<String> dnsNames, Instant from, Instant until) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      byte[] content = content(dnsNames, from, until, pair.getPublic().getEncoded());
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(pair.getPrivate());
      signature.update(content);
      byte[] whole = Der.sequence(content, ECDSA_WITH_SHA256, Der.bits(signature.sign()));
      return new ServerCertificate(
          pem("CERTIFICATE", whole), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has ECDSA on P-256", e);
    }
  }

  /// Encodes `TBSCertificate` (RFC 5280, 4.1).
  private static byte[] content(
      List<String> dnsNames, Instant from, Instant until, byte[] publicKey) {
    // The common name is not the DNS name, because a common name has at most 64 characters.
    byte[] name = Der.sequence(Der.set(Der.sequence(COMMON_NAME, Der.text("pvc-populators"))));
    return Der.sequence(
        Der.tagged(0, Der.integer(BigInteger.valueOf(VERSION_3))),
        Der.integer(new BigInteger(SERIAL_BITS, new SecureRandom()).add(BigInteger.ONE)),
        ECDSA_WITH_SHA256,
        name,
        Der.sequence(Der.time(from), Der.time(until)),
        name,
        publicKey,
        Der.tagged(EXTENSIONS, extensions(dnsNames)));
  }

  private static byte[] extensions(List<String> dnsNames) {
    byte[][] names =
        dnsNames.stream().map(name -> Der.taggedText(DNS_NAME, name)).toArray(byte[][]::new);
    return Der.sequence(
        critical(BASIC_CONSTRAINTS, Der.sequence()),
        critical(KEY_USAGE, SIGNS),
        Der.sequence(EXTENDED_KEY_USAGE, Der.value(Der.OCTET_STRING, Der.sequence(SERVER))),
        Der.sequence(SUBJECT_ALTERNATIVE_NAME, Der.value(Der.OCTET_STRING, Der.sequence(names))));
  }

  private static byte[] critical(byte[] identifier, byte[] value) {
    return Der.sequence(identifier, Der.yes(), Der.value(Der.OCTET_STRING, value));
  }

  private static String pem(String label, byte[] bytes) {
    String text =
        Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(bytes);
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, text);
  }
}
