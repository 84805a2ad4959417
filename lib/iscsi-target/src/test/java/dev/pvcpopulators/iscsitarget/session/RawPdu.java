package dev.pvcpopulators.iscsitarget.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/// A PDU as bytes. The offsets in this class are from the tables of RFC 7143, section 11.
public final class RawPdu {
  private final ByteBuffer header;
  private final byte[] bytes;
  private final byte[] data;

  public static final int NOP_OUT = 0x00;
  public static final int SCSI_COMMAND = 0x01;
  public static final int TASK_MANAGEMENT = 0x02;
  public static final int LOGIN = 0x03;
  public static final int TEXT = 0x04;
  public static final int DATA_OUT = 0x05;
  public static final int LOGOUT = 0x06;
  public static final int SNACK = 0x10;
  public static final int NOP_IN = 0x20;
  public static final int SCSI_RESPONSE = 0x21;
  public static final int TASK_MANAGEMENT_RESPONSE = 0x22;
  public static final int LOGIN_RESPONSE = 0x23;
  public static final int TEXT_RESPONSE = 0x24;
  public static final int DATA_IN = 0x25;
  public static final int LOGOUT_RESPONSE = 0x26;
  public static final int R2T = 0x31;
  public static final int ASYNC = 0x32;
  public static final int REJECT = 0x3F;

  public static final int IMMEDIATE = 0x40;
  public static final int FINAL = 0x80;
  public static final int READ = 0x40;
  public static final int WRITE = 0x20;
  public static final int SIMPLE = 0x01;
  public static final int ORDERED = 0x02;
  public static final int NO_TAG = 0xFFFFFFFF;

  /// Creates a PDU from its bytes.
  ///
  /// @param header 48 bytes and the additional header segments
  public RawPdu(byte[] header, byte[] data) {
    this.bytes = header;
    this.header = ByteBuffer.wrap(header);
    this.data = data;
  }

  public byte[] header() {
    return bytes;
  }

  public byte[] data() {
    return data;
  }

  /// Creates a PDU without data. All header bytes after the first two are zero.
  public static RawPdu of(int opcode, int flags) {
    byte[] header = new byte[48];
    header[0] = (byte) opcode;
    header[1] = (byte) flags;
    return new RawPdu(header, new byte[0]);
  }

  public RawPdu with(int offset, int value) {
    header.putInt(offset, value);
    return this;
  }

  public RawPdu withByte(int offset, int value) {
    header.put(offset, (byte) value);
    return this;
  }

  /// Sets header bytes and returns this PDU.
  public RawPdu withHex(int offset, String hex) {
    header.put(offset, HexFormat.of().parseHex(hex.replace(" ", "")));
    return this;
  }

  public RawPdu withTag(int initiatorTaskTag) {
    return with(16, initiatorTaskTag);
  }

  /// Sets DataSegmentLength, and returns a PDU with the same header and with the data.
  public RawPdu withData(byte[] segment) {
    header.putInt(4, (header.getInt(4) & 0xFF000000) | segment.length);
    return new RawPdu(bytes, segment);
  }

  public RawPdu withText(String... pairs) {
    return withData((String.join("\0", pairs) + "\0").getBytes(StandardCharsets.UTF_8));
  }

  public int opcode() {
    return header.get(0) & 0x3F;
  }

  public int flags() {
    return header.get(1) & 0xFF;
  }

  public int byteAt(int offset) {
    return header.get(offset) & 0xFF;
  }

  public int intAt(int offset) {
    return header.getInt(offset);
  }

  public int tag() {
    return intAt(16);
  }

  /// Returns the keys in the data segment.
  public Map<String, String> text() {
    Map<String, String> keys = new LinkedHashMap<>();
    for (String pair : new String(data, StandardCharsets.UTF_8).split("\0", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        keys.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return keys;
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes) + " with " + data.length + " bytes of data";
  }
}
