package dev.pvcpopulators.iscsitarget.login;

/// A CHAP secret (RFC 7143, section 9.2.1: at least 96 bits if IPsec does not protect the link).
/// [#toString] does not contain the secret.
public final class ChapSecret {
  /// The minimum length in bytes: 96 bits.
  public static final int MIN_LENGTH = 12;

  private final byte[] bytes;

  /// Creates a secret.
  ///
  /// @throws IllegalArgumentException if the secret is shorter than [#MIN_LENGTH]
  public ChapSecret(byte[] bytes) {
    if (bytes.length < MIN_LENGTH) {
      throw new IllegalArgumentException(
          "CHAP secret: expected at least " + MIN_LENGTH + " bytes, found " + bytes.length);
    }
    this.bytes = bytes.clone();
  }

  byte[] bytes() {
    return bytes.clone();
  }

  @Override
  public String toString() {
    return "a CHAP secret";
  }
}
