package dev.pvcpopulators.iscsitarget.pdu;

/// How headers or data are guarded on a connection (RFC 7143, section 13.1).
public enum Digest {
  NONE("None"),
  CRC32C("CRC32C");

  private final String key;

  Digest(String key) {
    this.key = key;
  }

  /// Its value in login text.
  public String key() {
    return key;
  }

  /// Bytes that it takes on the wire.
  public int length() {
    return this == NONE ? 0 : PduFormat.DIGEST_LENGTH;
  }
}
