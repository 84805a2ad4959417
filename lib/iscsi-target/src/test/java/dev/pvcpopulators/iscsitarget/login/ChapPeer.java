package dev.pvcpopulators.iscsitarget.login;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/// The initiator's side of CHAP, implemented from RFC 1994 only.
final class ChapPeer {
  private static final List<String> NAMES = List.of("MD5", "SHA-1", "SHA-256", "SHA3-256");
  private static final int FIRST_NUMBER = 5;

  private final String algorithm;
  private final int identifier;
  private final byte[] challenge;

  private ChapPeer(String algorithm, int identifier, byte[] challenge) {
    this.algorithm = algorithm;
    this.identifier = identifier;
    this.challenge = challenge;
  }

  String algorithm() {
    return algorithm;
  }

  int identifier() {
    return identifier;
  }

  byte[] challenge() {
    return challenge;
  }

  /// Creates a peer from the target's CHAP_A, CHAP_I and CHAP_C. CHAP_C must be hexadecimal.
  static ChapPeer of(List<String> pairs) {
    int number = Integer.parseInt(value(pairs, "CHAP_A"));
    String challenge = value(pairs, "CHAP_C");
    if (!challenge.startsWith("0x")) {
      throw new AssertionError("CHAP_C: " + challenge);
    }
    return new ChapPeer(
        NAMES.get(number - FIRST_NUMBER),
        Integer.parseInt(value(pairs, "CHAP_I")),
        HexFormat.of().parseHex(challenge.substring(2)));
  }

  static String value(List<String> pairs, String key) {
    for (String pair : pairs) {
      if (pair.startsWith(key + "=")) {
        return pair.substring(key.length() + 1);
      }
    }
    throw new AssertionError("No " + key + " in " + pairs);
  }

  byte[] response(String secret) {
    return digest(identifier, secret, challenge);
  }

  byte[] digest(int anIdentifier, String secret, byte[] aChallenge) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      digest.update((byte) anIdentifier);
      digest.update(secret.getBytes(StandardCharsets.UTF_8));
      digest.update(aChallenge);
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  static String hex(byte[] bytes) {
    return "0x" + HexFormat.of().withUpperCase().formatHex(bytes);
  }
}
