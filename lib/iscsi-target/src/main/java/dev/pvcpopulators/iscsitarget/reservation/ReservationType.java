package dev.pvcpopulators.iscsitarget.reservation;

import org.jspecify.annotations.Nullable;

/// Types of a persistent reservation (SPC-4, section 6.15.3.4).
public enum ReservationType {
  WRITE_EXCLUSIVE(1),
  EXCLUSIVE_ACCESS(3),
  WRITE_EXCLUSIVE_REGISTRANTS_ONLY(5),
  EXCLUSIVE_ACCESS_REGISTRANTS_ONLY(6),
  WRITE_EXCLUSIVE_ALL_REGISTRANTS(7),
  EXCLUSIVE_ACCESS_ALL_REGISTRANTS(8);

  private final int code;

  ReservationType(int code) {
    this.code = code;
  }

  /// Returns the type with the given code.
  ///
  /// @param code the four bits of the TYPE field
  /// @return null if the standard does not define the code
  public static @Nullable ReservationType of(int code) {
    for (ReservationType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    return null;
  }

  /// Returns the four bits of the TYPE field.
  public int code() {
    return code;
  }

  /// Returns whether the type is an Exclusive Access type, which prevents reads and writes by other
  /// ports. A Write Exclusive type prevents only writes by other ports. Registered ports are not
  /// affected if [#admitsRegistrants] is true.
  public boolean exclusiveAccess() {
    return switch (this) {
      case WRITE_EXCLUSIVE, WRITE_EXCLUSIVE_REGISTRANTS_ONLY, WRITE_EXCLUSIVE_ALL_REGISTRANTS ->
          false;
      case EXCLUSIVE_ACCESS, EXCLUSIVE_ACCESS_REGISTRANTS_ONLY, EXCLUSIVE_ACCESS_ALL_REGISTRANTS ->
          true;
    };
  }

  /// Returns whether every registered port is a holder.
  public boolean allRegistrants() {
    return this == WRITE_EXCLUSIVE_ALL_REGISTRANTS || this == EXCLUSIVE_ACCESS_ALL_REGISTRANTS;
  }

  /// Returns whether every registered port has access: true for the types "registrants only" and
  /// "all registrants". If a reservation of one of these types is released, the other registrants
  /// receive the unit attention RESERVATIONS RELEASED.
  public boolean admitsRegistrants() {
    return this != WRITE_EXCLUSIVE && this != EXCLUSIVE_ACCESS;
  }

  /// Returns the bit of this type in the PERSISTENT RESERVATION TYPE MASK of REPORT CAPABILITIES
  /// (SPC-4, table 223).
  int maskBit() {
    return switch (this) {
      case WRITE_EXCLUSIVE_ALL_REGISTRANTS -> 0x8000;
      case EXCLUSIVE_ACCESS_REGISTRANTS_ONLY -> 0x4000;
      case WRITE_EXCLUSIVE_REGISTRANTS_ONLY -> 0x2000;
      case EXCLUSIVE_ACCESS -> 0x0800;
      case WRITE_EXCLUSIVE -> 0x0200;
      case EXCLUSIVE_ACCESS_ALL_REGISTRANTS -> 0x0001;
    };
  }
}
