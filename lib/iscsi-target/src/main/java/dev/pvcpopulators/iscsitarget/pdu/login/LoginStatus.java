package dev.pvcpopulators.iscsitarget.pdu.login;

/// The status of a login (RFC 7143, section 11.13.5): the first byte is the status class, and the
/// second byte is the status detail.
public enum LoginStatus {
  SUCCESS(0x0000),
  INITIATOR_ERROR(0x0200),
  AUTHENTICATION_FAILURE(0x0201),
  NOT_FOUND(0x0203),
  TARGET_REMOVED(0x0204),
  UNSUPPORTED_VERSION(0x0205),
  MISSING_PARAMETER(0x0207),
  SESSION_TYPE_NOT_SUPPORTED(0x0209),
  SESSION_DOES_NOT_EXIST(0x020A),
  SERVICE_UNAVAILABLE(0x0301),
  OUT_OF_RESOURCES(0x0302);

  private final int code;

  LoginStatus(int code) {
    this.code = code;
  }

  /// Returns the status class and detail in 16 bits.
  public int code() {
    return code;
  }
}
