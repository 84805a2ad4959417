package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;

/// Bytes with their descriptor.
final class Content {
  private final byte[] bytes;
  private final Descriptor descriptor;

  private Content(byte[] bytes, Descriptor descriptor) {
    this.bytes = bytes;
    this.descriptor = descriptor;
  }

  static Content of(byte[] bytes) {
    return new Content(
        bytes, new Descriptor("", Digest.parse(sha256(bytes)), bytes.length, Map.of()));
  }

  static Content random(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return of(bytes);
  }

  /// Returns the array itself, not a copy.
  byte[] bytes() {
    return bytes;
  }

  Descriptor descriptor() {
    return descriptor;
  }

  static String sha256(byte[] bytes) {
    try {
      return "sha256:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
