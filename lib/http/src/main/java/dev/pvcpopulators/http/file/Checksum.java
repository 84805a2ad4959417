package dev.pvcpopulators.http.file;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/// The checksum of a file.
///
/// @param hex the checksum in lower-case hexadecimal digits
public record Checksum(Algorithm algorithm, String hex) {
  private static final Pattern HEX = Pattern.compile("[0-9a-f]+");

  /// The supported algorithms.
  public enum Algorithm {
    SHA256("sha256", "SHA-256", 64),
    SHA512("sha512", "SHA-512", 128);

    private final String word;
    private final String javaName;
    private final int hexLength;

    Algorithm(String word, String javaName, int hexLength) {
      this.word = word;
      this.javaName = javaName;
      this.hexLength = hexLength;
    }

    int hexLength() {
      return hexLength;
    }

    MessageDigest newDigest() {
      try {
        return MessageDigest.getInstance(javaName);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("The JDK has both", e);
      }
    }
  }

  /// Checks the digits.
  ///
  /// @throws IllegalArgumentException if the length of `hex` is not the length of the algorithm's
  ///   checksums, or `hex` contains a character that is not a lower-case hexadecimal digit
  public Checksum {
    if (hex.length() != algorithm.hexLength || !HEX.matcher(hex).matches()) {
      throw new IllegalArgumentException(
          "Expected the " + algorithm.hexLength + " hexadecimal digits of a " + algorithm.javaName);
    }
  }

  /// Parses hexadecimal digits in upper or lower case, and ignores white space around the digits.
  ///
  /// @throws IllegalArgumentException if the text is not a checksum of the algorithm
  public static Checksum parse(Algorithm algorithm, String hex) {
    return new Checksum(algorithm, hex.strip().toLowerCase(Locale.ROOT));
  }

  /// Computes the checksum of bytes.
  public static Checksum of(Algorithm algorithm, byte[] content) {
    return finish(algorithm, algorithm.newDigest(), content);
  }

  /// Adds the last bytes of the content to a digest, and returns the checksum.
  static Checksum finish(Algorithm algorithm, MessageDigest digest, byte... last) {
    return new Checksum(algorithm, HexFormat.of().formatHex(digest.digest(last)));
  }

  /// Returns the checksum in the form `sha256:…` or `sha512:…`.
  @Override
  public String toString() {
    return algorithm.word + ":" + hex;
  }
}
