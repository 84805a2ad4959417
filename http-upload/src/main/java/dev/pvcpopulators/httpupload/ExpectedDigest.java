package dev.pvcpopulators.httpupload;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A digest that a client expects for the uploaded bytes.
///
/// @param algorithm the hash algorithm
/// @param hex the digest in lower-case hexadecimal
record ExpectedDigest(Algorithm algorithm, String hex) {
  /// The algorithms with the status `Active` in the registry "Hash Algorithms for HTTP Digest
  /// Fields".
  enum Algorithm {
    SHA_256("sha-256", "SHA-256", 32),
    SHA_512("sha-512", "SHA-512", 64);

    private final String key;
    private final String javaName;
    private final int length;

    Algorithm(String key, String javaName, int length) {
      this.key = key;
      this.javaName = javaName;
      this.length = length;
    }

    /// Returns the key of this algorithm in a digest field.
    String key() {
      return key;
    }

    /// Returns the name of this algorithm for [java.security.MessageDigest].
    String javaName() {
      return javaName;
    }
  }

  /// Matches one member of a Dictionary (RFC 8941, section 3.2). The value of the member is a Byte
  /// Sequence.
  private static final Pattern MEMBER =
      Pattern.compile("\\s*([a-z*][a-z0-9_.*-]*)\\s*=\\s*:([A-Za-z0-9+/=]*):\\s*(?:;.*)?");

  ExpectedDigest {
    if (hex.length() != 2 * algorithm.length) {
      throw new IllegalArgumentException(
          "a %s digest has %s bytes, this one has %s"
              .formatted(algorithm.key, algorithm.length, hex.length() / 2));
    }
  }

  /// Parses a `Repr-Digest` or `Content-Digest` field (RFC 9530, sections 2 and 3), and returns the
  /// digests that this service can compute.
  ///
  /// @throws IllegalArgumentException if the field is malformed, or if this service can compute
  ///   none of the digests. If the service ignored the field, the client would get a successful
  ///   response although no digest was checked
  static List<ExpectedDigest> parseField(String value) {
    List<ExpectedDigest> digests = new ArrayList<>();
    for (String member : value.split(",", -1)) {
      Matcher matcher = MEMBER.matcher(member);
      if (!matcher.matches()) {
        throw new IllegalArgumentException("expected members of the form sha-256=:BASE64:");
      }
      for (Algorithm algorithm : Algorithm.values()) {
        if (algorithm.key.equals(matcher.group(1))) {
          byte[] digest = decoded(algorithm, matcher.group(2));
          digests.add(new ExpectedDigest(algorithm, HexFormat.of().formatHex(digest)));
        }
      }
    }
    if (digests.isEmpty()) {
      throw new IllegalArgumentException("it has neither sha-256 nor sha-512");
    }
    return List.copyOf(digests);
  }

  private static byte[] decoded(Algorithm algorithm, String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          ("expected the base64 form of the %s bytes of a %s digest, found something"
                  + " else between the colons")
              .formatted(algorithm.length, algorithm.key),
          e);
    }
  }

  /// Parses an `X-Checksum-Sha256` field.
  ///
  /// @throws IllegalArgumentException if the value is not 64 hexadecimal digits
  static ExpectedDigest parseHexSha256(String value) {
    String hex = value.strip().toLowerCase(Locale.ROOT);
    if (!hex.matches("[0-9a-f]{64}")) {
      throw new IllegalArgumentException("expected 64 hexadecimal digits");
    }
    return new ExpectedDigest(Algorithm.SHA_256, hex);
  }
}
