package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;
import java.util.Optional;

/// Converts POSIX access control lists from the form of the system calls
/// (include/uapi/linux/posix_acl_xattr.h) to the form of ext4 (fs/ext4/acl.h).
///
/// | Offset | System calls              | ext4                                         |
/// |-------:|---------------------------|----------------------------------------------|
/// |      0 | version, 2                | version, 1                                   |
/// |      4 | tag, permissions, ID: 8 bytes each | tag, permissions; ID only for `USER`, `GROUP` |
final class PosixAcl {
  private static final int HEADER_LENGTH = 4;
  private static final int CALL_VERSION = 2;
  private static final int DISK_VERSION = 1;

  private static final int PERMISSIONS = 2;
  private static final int ID = 4;
  private static final int SHORT_LENGTH = 4;
  private static final int LONG_LENGTH = 8;

  private static final int USER_OBJ = 0x1;
  private static final int USER = 0x2;
  private static final int GROUP_OBJ = 0x4;
  private static final int GROUP = 0x8;
  private static final int MASK = 0x10;
  private static final int OTHER = 0x20;

  private static final int ALL_PERMISSIONS = 7;

  /// The stored value of the ID field in an entry that has no ID.
  private static final int UNDEFINED_ID = -1;

  /// The number of entries of a list that contains only the entries that a mode can express:
  /// `USER_OBJ`, `GROUP_OBJ` and `OTHER`.
  private static final int MODE_ENTRIES = 3;

  private PosixAcl() {}

  /// Converts a list from the form of the system calls to the form of ext4.
  ///
  /// @param value the list in the form of the system calls
  /// @param access whether the list is an access ACL; otherwise, it is a default ACL
  /// @return the list in the form of ext4; empty for a list that Linux does not store: a list
  ///   without entries, or an access list with only the entries that a mode can express
  /// @throws UnrepresentableException if Linux would refuse the list (fs/posix_acl.c,
  ///   `posix_acl_valid`), or if the list is longer than two blocks
  static Optional<Bytes> toDisk(Bytes value, boolean access) throws UnrepresentableException {
    int length = value.length();
    if (length < HEADER_LENGTH
        || length > Ext4Format.BLOCK_SIZE * 2
        || (length - HEADER_LENGTH) % LONG_LENGTH != 0
        || LittleEndian.i32(value.buffer(), 0) != CALL_VERSION) {
      throw new UnrepresentableException(
          "Expected an access control list of version 2, at most two blocks long");
    }
    int count = (length - HEADER_LENGTH) / LONG_LENGTH;
    if (count == 0) {
      return Optional.empty();
    }
    ByteBuffer source = value.buffer();
    ByteBuffer target = ByteBuffer.allocate(length);
    LittleEndian.put32(target, 0, DISK_VERSION);
    int end = HEADER_LENGTH;
    int before = 0;
    boolean masked = false;
    for (int at = HEADER_LENGTH; at < length; at += LONG_LENGTH) {
      int tag = LittleEndian.u16(source, at);
      int permissions = LittleEndian.u16(source, at + PERMISSIONS);
      int id = LittleEndian.i32(source, at + ID);
      if (!follows(before, tag, masked)
          || (permissions & ~ALL_PERMISSIONS) != 0
          || (named(tag) && id == UNDEFINED_ID)) {
        throw new UnrepresentableException(
            "An access control list has an invalid entry, or entries out of order");
      }
      LittleEndian.put16(target, end, tag);
      LittleEndian.put16(target, end + PERMISSIONS, permissions);
      if (named(tag)) {
        LittleEndian.put32(target, end + ID, id);
      }
      end += length(tag);
      masked |= named(tag);
      before = tag;
    }
    if (before != OTHER) {
      throw new UnrepresentableException("An access control list has no entry for others");
    }
    return access && count == MODE_ENTRIES
        ? Optional.empty()
        : Optional.of(Bytes.read(target, end));
  }

  /// Returns whether an entry may follow the previous entry.
  ///
  /// @param before the tag of the previous entry; 0 for the first entry
  /// @param masked whether an earlier entry requires a `MASK` entry
  private static boolean follows(int before, int tag, boolean masked) {
    return switch (tag) {
      case USER_OBJ -> before == 0;
      case USER, GROUP_OBJ -> before == USER_OBJ || before == USER;
      case GROUP, MASK -> before == GROUP_OBJ || before == GROUP;
      case OTHER -> before == MASK || (!masked && before == GROUP_OBJ);
      default -> false;
    };
  }

  private static boolean named(int tag) {
    return tag == USER || tag == GROUP;
  }

  /// Returns the size of an entry in the form of ext4, in bytes.
  private static int length(int tag) {
    return named(tag) ? LONG_LENGTH : SHORT_LENGTH;
  }
}
