package dev.pvcpopulators.iscsitarget.inquiry;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/// The identifiers of a logical unit. The identifiers are derived from a digest of the unit's
/// identity, so they are the same on every path and after a restart. The identifiers do not contain
/// the identity itself, because the identity may contain the name of an image.
public final class UnitIdentity {
  /// T10 vendor identification (SPC-4, section 4.3.1: 8 bytes, left-aligned).
  static final String VENDOR = "PVCPOP  ";

  /// The value "locally assigned" of the NAA field, in bits 63–60 (SPC-4, section 7.8.6.6.5).
  private static final long LOCALLY_ASSIGNED = 3L << 60;

  private static final int SERIAL_BYTES = 16;

  /// The number of characters after [#VENDOR] in the T10 vendor ID based designator. With this
  /// number, the designator has 20 bytes, the maximum in a CSCD descriptor of EXTENDED COPY.
  private static final int VENDOR_SPECIFIC_CHARACTERS = 12;

  private final byte[] digest;

  /// Derives the identifiers of a unit.
  ///
  /// @param identity a text that identifies the unit
  public UnitIdentity(String identity) {
    try {
      this.digest =
          MessageDigest.getInstance("SHA-256").digest(identity.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }

  /// Returns the unit serial number: 32 hexadecimal digits.
  public String serialNumber() {
    return HexFormat.of().formatHex(digest, 0, SERIAL_BYTES);
  }

  /// Returns the NAA designator: 8 bytes.
  public byte[] naa() {
    long locallyAdministered = ByteBuffer.wrap(digest).getLong() >>> 4;
    return ByteBuffer.allocate(Long.BYTES).putLong(LOCALLY_ASSIGNED | locallyAdministered).array();
  }

  /// Returns the T10 vendor ID based designator: 20 characters.
  public byte[] t10VendorId() {
    String specific = serialNumber().substring(0, VENDOR_SPECIFIC_CHARACTERS);
    return (VENDOR + specific).getBytes(StandardCharsets.US_ASCII);
  }

  /// Returns whether a designator (SPC-4, table 537) names this logical unit.
  public boolean isDesignator(int type, byte[] designator) {
    return switch (type) {
      case DesignatorType.T10_VENDOR_ID -> Arrays.equals(designator, t10VendorId());
      case DesignatorType.NAA -> Arrays.equals(designator, naa());
      default -> false;
    };
  }
}
