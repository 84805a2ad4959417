package dev.pvcpopulators.iscsitarget.scsi;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// Sense data of a command that ended with CHECK CONDITION, or the data of REQUEST SENSE, in fixed
/// format (SPC-4, section 4.5.3).
///
/// |  Byte | Meaning                                                                             |
/// |------:|-------------------------------------------------------------------------------------|
/// |     0 | VALID, response code 70h                                                            |
/// |     2 | sense key                                                                           |
/// |   3–6 | INFORMATION, if `information` fits into 32 bits; VALID is then set                  |
/// |     7 | additional sense length, 10                                                         |
/// | 12–13 | additional sense code and qualifier                                                 |
/// | 15–17 | sense-key specific: field pointer (ILLEGAL REQUEST), progress (NOT READY, NO SENSE) |
///
/// @param code additional sense code and its qualifier: `0x2400` is 24h/00h
/// @param information the value that SBC-3 defines for the command: an LBA, or a byte offset
/// @param field the index of the erroneous byte in the CDB
/// @param progress the completed part of a long operation, in units of 1/65,536
public record Sense(
    SenseKey key, int code, OptionalLong information, OptionalInt field, OptionalInt progress) {
  /// The number of bytes that [#write] writes.
  public static final int LENGTH = 18;

  private static final int CURRENT_FIXED = 0x70;
  private static final int VALID = 0x80;
  private static final int SKSV = 0x80;
  private static final int IN_CDB = 0x40;

  public Sense(SenseKey key, int code) {
    this(key, code, OptionalLong.empty(), OptionalInt.empty(), OptionalInt.empty());
  }

  /// Returns the sense data for ILLEGAL REQUEST, INVALID FIELD IN CDB.
  ///
  /// @param field the index of the erroneous byte in the CDB
  public static Sense invalidField(int field) {
    return new Sense(
        SenseKey.ILLEGAL_REQUEST,
        0x2400,
        OptionalLong.empty(),
        OptionalInt.of(field),
        OptionalInt.empty());
  }

  /// Returns the same sense data with a value in INFORMATION.
  public Sense withInformation(long value) {
    return new Sense(key, code, OptionalLong.of(value), field, progress);
  }

  /// Returns the same sense data with a progress indication.
  ///
  /// @param of65536 the completed part in units of 1/65,536: 0 to 65,535
  public Sense withProgress(int of65536) {
    return new Sense(key, code, information, field, OptionalInt.of(of65536));
  }

  /// Writes the sense data: [#LENGTH] bytes.
  public void write(ByteBuffer into) {
    int start = into.position();
    into.put(new byte[LENGTH]);
    boolean fits = information.isPresent() && information.getAsLong() >>> Integer.SIZE == 0;
    into.put(start, (byte) (CURRENT_FIXED | (fits ? VALID : 0)));
    into.put(start + 2, (byte) key.code());
    if (fits) {
      into.putInt(start + 3, (int) information.getAsLong());
    }
    into.put(start + 7, (byte) (LENGTH - 8));
    into.putShort(start + 12, (short) code);
    if (field.isPresent()) {
      into.put(start + 15, (byte) (SKSV | IN_CDB));
      into.putShort(start + 16, (short) field.getAsInt());
    } else if (progress.isPresent()) {
      into.put(start + 15, (byte) SKSV);
      into.putShort(start + 16, (short) progress.getAsInt());
    }
  }
}
