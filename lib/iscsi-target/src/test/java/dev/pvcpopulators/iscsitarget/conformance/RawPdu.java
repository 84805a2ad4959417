package dev.pvcpopulators.iscsitarget.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;

/// An initiator's PDU, assembled byte by byte from RFC 7143, section 11. This class validates
/// nothing.
///
/// |  Byte | Meaning in every PDU                  |
/// |------:|---------------------------------------|
/// |     0 | immediate 40h, operation code         |
/// |     1 | final 80h, flags                      |
/// |     4 | TotalAHSLength in 4-byte words        |
/// |   5–7 | DataSegmentLength in bytes            |
/// |  8–15 | LUN, or depends on the operation code |
/// | 16–19 | initiator task tag                    |
/// | 24–27 | CmdSN                                 |
/// | 28–31 | ExpStatSN                             |
@SuppressWarnings("ArrayRecordComponent") // no code compares these records
record RawPdu(ByteBuffer header, byte[] data) {
  static final int HEADER = 48;
  static final int NO_TAG = 0xFFFFFFFF;

  /// Positions in the header.
  static final int FLAGS = 1;

  static final int AHS_LENGTH = 4;
  static final int DATA_LENGTH = 4; // the first byte of this word is TotalAHSLength
  static final int LUN = 8;
  static final int TASK_TAG = 16;
  static final int EXPECTED_LENGTH = 20;
  static final int TRANSFER_TAG = 20;
  static final int CMD_SN = 24;
  static final int EXP_STAT_SN = 28;
  static final int CDB = 32;
  static final int DATA_SN = 36;
  static final int BUFFER_OFFSET = 40;

  private static final int IMMEDIATE = 0x40;
  private static final int FINAL = 0x80;
  private static final int SIMPLE = 1;
  private static final int WORD = 4;
  private static final int MAX_DATA = (1 << 24) - 1;

  /// Creates a PDU. The operation code and the flags are bytes 0 and 1 of the header.
  static RawPdu of(int opcode, int flags, byte[] data) {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.put(0, (byte) opcode).put(FLAGS, (byte) flags);
    return new RawPdu(header, data).dataLength(data.length);
  }

  /// Creates a Login Request for a new session.
  ///
  /// @param stages byte 1: the T bit, the C bit, CSG and NSG
  /// @param keys the keys, each as `KEY=VALUE`
  static RawPdu login(int stages, long isid, String... keys) {
    RawPdu pdu = of(IMMEDIATE | 0x03, stages, text(keys));
    pdu.header.putLong(LUN, isid << 16);
    return pdu;
  }

  static RawPdu nopOut() {
    return of(IMMEDIATE, FINAL, new byte[0]).word(TRANSFER_TAG, NO_TAG);
  }

  static RawPdu text(int flags, String... keys) {
    return of(0x04, flags, text(keys)).word(TRANSFER_TAG, NO_TAG);
  }

  static RawPdu logout() {
    return of(IMMEDIATE | 0x06, FINAL, new byte[0]);
  }

  static RawPdu taskManagement(int function, int referencedTag) {
    return of(IMMEDIATE | 0x02, FINAL | function, new byte[0]).word(TRANSFER_TAG, referencedTag);
  }

  static RawPdu snack(int type) {
    return of(0x10, FINAL | type, new byte[0]);
  }

  static RawPdu dataOut(
      int flags, int taskTag, int transferTag, int dataSn, int offset, int length) {
    return of(0x05, flags, new byte[length])
        .word(TASK_TAG, taskTag)
        .word(TRANSFER_TAG, transferTag)
        .word(DATA_SN, dataSn)
        .word(BUFFER_OFFSET, offset);
  }

  /// Creates a SCSI Command.
  ///
  /// @param direction 40h to read, 20h to write, 0 for no data
  static RawPdu command(int direction, int expectedLength, byte[] immediate, int... cdb) {
    RawPdu pdu =
        of(0x01, FINAL | direction | SIMPLE, immediate).word(EXPECTED_LENGTH, expectedLength);
    for (int i = 0; i < cdb.length; i++) {
      pdu.header.put(CDB + i, (byte) cdb[i]);
    }
    return pdu;
  }

  /// Creates READ(10) for blocks of 512 bytes.
  static RawPdu read10(int lba, int blocks) {
    return command(
        0x40,
        blocks * 512,
        new byte[0],
        0x28,
        0,
        lba >>> 24,
        lba >>> 16,
        lba >>> 8,
        lba,
        0,
        blocks >>> 8,
        blocks);
  }

  /// Creates WRITE(10) for blocks of 512 bytes.
  static RawPdu write10(int lba, int blocks, byte[] immediate) {
    return command(
        0x20,
        blocks * 512,
        immediate,
        0x2A,
        0,
        lba >>> 24,
        lba >>> 16,
        lba >>> 8,
        lba,
        0,
        blocks >>> 8,
        blocks);
  }

  private static byte[] text(String... keys) {
    StringBuilder text = new StringBuilder();
    for (String key : keys) {
      text.append(key).append('\0');
    }
    return text.toString().getBytes(UTF_8);
  }

  /// Sets a word of the header.
  RawPdu word(int position, int value) {
    header.putInt(position, value);
    return this;
  }

  /// Sets a byte of the header.
  RawPdu octet(int position, int value) {
    header.put(position, (byte) value);
    return this;
  }

  /// Sets DataSegmentLength to any value. The data does not change.
  RawPdu dataLength(int length) {
    return word(DATA_LENGTH, (header.getInt(DATA_LENGTH) & ~MAX_DATA) | (length & MAX_DATA));
  }

  /// Returns the bytes on the wire: header, data and padding.
  byte[] bytes() {
    int padded = (data.length + WORD - 1) / WORD * WORD;
    byte[] bytes = new byte[HEADER + padded];
    header.get(0, bytes, 0, HEADER);
    System.arraycopy(data, 0, bytes, HEADER, data.length);
    return bytes;
  }
}
