package dev.pvcpopulators.iscsitarget.login;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Digests for CHAP (RFC 7143, section 12.1.3, and IANA's PPP authentication algorithms), strongest
/// first.
enum ChapAlgorithm {
  SHA3_256("8", "SHA3-256", 32),
  SHA_256("7", "SHA-256", 32),
  SHA_1("6", "SHA-1", 20),
  MD5("5", "MD5", 16);

  private static final String SEPARATOR = ",";

  private final String number;
  private final String name;
  private final int length;

  ChapAlgorithm(String number, String name, int length) {
    this.number = number;
    this.name = name;
    this.length = length;
  }

  /// Returns the algorithm's value in CHAP_A.
  String number() {
    return number;
  }

  /// Returns the length of a digest in bytes; the target's challenges have the same length.
  int length() {
    return length;
  }

  /// Returns the strongest supported algorithm of the initiator's list.
  ///
  /// @param offer the value of CHAP_A: numbers separated by commas
  /// @param takeMd5 whether MD5 is accepted
  /// @return the algorithm; empty if the list contains no accepted algorithm
  static Optional<ChapAlgorithm> strongest(String offer, boolean takeMd5) {
    List<String> offered = Arrays.asList(offer.split(SEPARATOR, -1));
    return Arrays.stream(values())
        .filter(each -> offered.contains(each.number) && (takeMd5 || each != MD5))
        .findFirst();
  }

  /// Returns the response to a challenge (RFC 1994, section 4.1): the digest of identifier, secret
  /// and challenge.
  byte[] response(int identifier, byte[] secret, byte[] challenge) {
    try {
      MessageDigest digest = MessageDigest.getInstance(name);
      digest.update((byte) identifier);
      digest.update(secret);
      return digest.digest(challenge);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("A JDK without " + name, e);
    }
  }
}
