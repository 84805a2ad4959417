package dev.pvcpopulators.iscsitarget.pdu;

/// The digest that protects headers or data on a connection (RFC 7143, section 13.1).
public enum Digest {
  NONE("None"),
  CRC32C("CRC32C");

  private final String key;

  Digest(String key) {
    this.key = key;
  }

  /// Returns the value that means this digest in the login keys HeaderDigest and DataDigest.
  public String key() {
    return key;
  }

  /// Returns the digest's length on the wire in bytes.
  public int length() {
    return this == NONE ? 0 : PduFormat.DIGEST_LENGTH;
  }
}
