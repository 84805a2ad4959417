package dev.pvcpopulators.registry;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// A digest: the hash of a piece of content, by which the content is named and verified (OCI
/// image-spec 1.1, descriptor.md "Digests").
///
/// @param algorithm a supported algorithm
/// @param hex the hash in lower-case hexadecimal
public record Digest(Algorithm algorithm, String hex) {
  private static final Pattern HEX = Pattern.compile("[0-9a-f]+");

  /// The supported algorithms.
  public enum Algorithm {
    SHA256("sha256", "SHA-256", 64),
    SHA512("sha512", "SHA-512", 128);

    private final String word;
    private final String jcaName;
    private final int hexLength;

    Algorithm(String word, String jcaName, int hexLength) {
      this.word = word;
      this.jcaName = jcaName;
      this.hexLength = hexLength;
    }
  }

  /// Creates a digest.
  ///
  /// @throws IllegalArgumentException if the hash does not have the algorithm's length, or contains
  ///   characters other than lower-case hexadecimal digits
  public Digest {
    if (hex.length() != algorithm.hexLength || !HEX.matcher(hex).matches()) {
      throw new IllegalArgumentException(
          "A " + algorithm.word + " digest has " + algorithm.hexLength + " hexadecimal digits");
    }
  }

  /// Parses `sha256:…` or `sha512:…`.
  ///
  /// @throws IllegalArgumentException for any other text
  public static Digest parse(String text) {
    for (Algorithm algorithm : Algorithm.values()) {
      String prefix = algorithm.word + ":";
      if (text.startsWith(prefix)) {
        return new Digest(algorithm, text.substring(prefix.length()));
      }
    }
    throw new IllegalArgumentException("Expected a digest 'sha256:…' or 'sha512:…'");
  }

  /// Returns the digest of bytes.
  public static Digest of(Algorithm algorithm, byte[] content) {
    return named(algorithm, newMessageDigest(algorithm).digest(content));
  }

  /// Returns the digest that a hash function has computed, and resets the function.
  public static Digest finish(Algorithm algorithm, MessageDigest hash) {
    return named(algorithm, hash.digest());
  }

  private static Digest named(Algorithm algorithm, byte[] hash) {
    return new Digest(algorithm, HexFormat.of().formatHex(hash));
  }

  /// Returns a new hash function.
  public static MessageDigest newMessageDigest(Algorithm algorithm) {
    try {
      return MessageDigest.getInstance(algorithm.jcaName);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("The Java platform has no algorithm " + algorithm.jcaName, e);
    }
  }

  /// Returns text such as `sha256:…`.
  @Override
  public String toString() {
    return algorithm.word + ":" + hex;
  }
}
