package dev.pvcpopulators.operator.child;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Encodes the DER values (ITU-T X.690) that a certificate contains.
final class Der {
  static final int BIT_STRING = 0x03;
  static final int OCTET_STRING = 0x04;
  static final int SEQUENCE = 0x30;

  private static final int BOOLEAN = 0x01;
  private static final int INTEGER = 0x02;
  private static final int UTF8_STRING = 0x0c;
  private static final int UTC_TIME = 0x17;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int SET = 0x31;
  private static final int CONTEXT = 0x80;
  private static final int CONSTRUCTED = 0x20;
  private static final int LONG_LENGTH = 0x80;
  private static final int BYTE = 0xff;

  private static final int CENTURY = 2;
  private static final int LAST_SHORT_YEAR = 2049;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Der() {}

  /// Encodes a value of up to 65,535 bytes from its parts (X.690, 8.1).
  static byte[] value(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    int length = content.size();
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.write(tag);
    if (length < LONG_LENGTH) {
      whole.write(length);
    } else if (length <= BYTE) {
      whole.write(LONG_LENGTH | 1);
      whole.write(length);
    } else {
      whole.write(LONG_LENGTH | 2);
      whole.write(length >> 8);
      whole.write(length & BYTE);
    }
    whole.writeBytes(content.toByteArray());
    return whole.toByteArray();
  }

  static byte[] sequence(byte[]... parts) {
    return value(SEQUENCE, parts);
  }

  static byte[] set(byte[]... parts) {
    return value(SET, parts);
  }

  /// Encodes a value with an explicit context-specific tag.
  static byte[] tagged(int number, byte[]... parts) {
    return value(CONTEXT | CONSTRUCTED | number, parts);
  }

  /// Encodes a text with an implicit context-specific tag.
  static byte[] taggedText(int number, String ascii) {
    return value(CONTEXT | number, ascii.getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] integer(BigInteger number) {
    return value(INTEGER, number.toByteArray());
  }

  static byte[] yes() {
    return value(BOOLEAN, new byte[] {(byte) BYTE});
  }

  static byte[] text(String text) {
    return value(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
  }

  /// Encodes a certificate's time (RFC 5280, 4.1.2.5). Up to the year 2049, the type is UTCTime,
  /// which has a two-digit year. From 2050, the type is GeneralizedTime, which has a four-digit
  /// year.
  static byte[] time(Instant instant) {
    boolean shortYear = instant.atOffset(ZoneOffset.UTC).getYear() <= LAST_SHORT_YEAR;
    String text = TIME.format(instant).substring(shortYear ? CENTURY : 0);
    return value(shortYear ? UTC_TIME : GENERALIZED_TIME, text.getBytes(StandardCharsets.US_ASCII));
  }

  /// Encodes a bit string of whole bytes (X.690, 8.6).
  static byte[] bits(byte[] bytes) {
    return value(BIT_STRING, new byte[] {0}, bytes);
  }

  /// Encodes an object identifier (X.690, 8.19).
  static byte[] identifier(int... arcs) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.write(arcs[0] * 40 + arcs[1]);
    for (int i = 2; i < arcs.length; i++) {
      for (int shift = 28; shift > 0; shift -= 7) {
        if (arcs[i] >> shift != 0) {
          content.write(0x80 | (arcs[i] >> shift & 0x7f));
        }
      }
      content.write(arcs[i] & 0x7f);
    }
    return value(0x06, content.toByteArray());
  }
}
