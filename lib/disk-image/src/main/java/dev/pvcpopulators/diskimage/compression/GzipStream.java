package dev.pvcpopulators.diskimage.compression;

import dev.pvcpopulators.diskimage.BulkInputStream;
import dev.pvcpopulators.diskimage.MalformedImageException;
import java.io.IOException;
import java.util.Objects;
import java.util.zip.CRC32;

/// Decodes the members of a gzip file (RFC 1952). In the table of a member's fields, a negative
/// offset counts from the end of the member.
///
/// | Offset | Size | Field                                              |
/// |-------:|-----:|----------------------------------------------------|
/// |      0 |    2 | ID1, ID2: 1f 8b                                    |
/// |      2 |    1 | CM: 8, deflate                                     |
/// |      3 |    1 | FLG; bits 5–7 reserved                             |
/// |      4 |    6 | MTIME, XFL, OS                                     |
/// |     10 |      | depending on FLG: extra field, name, comment, header CRC |
/// |        |      | deflate stream                                     |
/// |     -8 |    4 | CRC32 of the data                                  |
/// |     -4 |    4 | ISIZE: length of the data modulo 2^32              |
final class GzipStream extends BulkInputStream {
  private static final String STRUCTURE = "gzip member";
  private static final int ID1 = 0x1f;
  private static final int ID2 = 0x8b;
  private static final int DEFLATE = 8;
  private static final int FHCRC = 1 << 1;
  private static final int FEXTRA = 1 << 2;
  private static final int FNAME = 1 << 3;
  private static final int FCOMMENT = 1 << 4;
  private static final int RESERVED = 0xe0;
  private static final int MTIME_XFL_OS_LENGTH = 6;

  private final SourceBuffer source;
  private final RawInflater inflater;
  private final CRC32 crc = new CRC32();
  private final CRC32 headerCrc = new CRC32();
  private long memberOffset;
  private long memberLength;
  private State state = State.FIRST_HEADER;

  private enum State {
    FIRST_HEADER,
    BODY,
    NEXT_HEADER,
    ENDED
  }

  GzipStream(SourceBuffer source, RawInflater inflater) {
    this.source = source;
    this.inflater = inflater;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    while (true) {
      switch (state) {
        case FIRST_HEADER -> {
          readHeader();
          state = State.BODY;
        }
        case NEXT_HEADER -> state = readNextHeader() ? State.BODY : State.ENDED;
        case BODY -> {
          int count = inflater.inflate(source, target, offset, length);
          if (count >= 0) {
            crc.update(target, offset, count);
            memberLength += count;
            return count;
          }
          readTrailer();
          state = State.NEXT_HEADER;
        }
        case ENDED -> {
          return -1;
        }
      }
    }
  }

  /// Reads the header of another member, or zeros up to the end of the source. Returns whether
  /// there is another member.
  private boolean readNextHeader() throws IOException {
    if (!source.fill()) {
      return false;
    }
    if (source.bytes()[source.position()] != 0) {
      inflater.reset();
      readHeader();
      return true;
    }
    while (source.fill()) {
      byte[] bytes = source.bytes();
      int end = source.position() + source.remaining();
      for (int i = source.position(); i < end; i++) {
        if (bytes[i] != 0) {
          source.consume(i - source.position());
          throw new MalformedImageException(
              "gzip padding", source.offset(), "expected zeros, found " + (bytes[i] & 0xff));
        }
      }
      source.consume(source.remaining());
    }
    return false;
  }

  private void readHeader() throws IOException {
    memberOffset = source.offset();
    memberLength = 0;
    crc.reset();
    headerCrc.reset();
    if (headerByte() != ID1 || headerByte() != ID2) {
      throw malformed("expected the magic number 1f 8b, found other data");
    }
    int method = headerByte();
    if (method != DEFLATE) {
      throw malformed("expected method 8 (deflate), found " + method);
    }
    int flags = headerByte();
    if ((flags & RESERVED) != 0) {
      throw malformed("reserved flags are set: " + Integer.toHexString(flags));
    }
    skip(MTIME_XFL_OS_LENGTH);
    if ((flags & FEXTRA) != 0) {
      skip(headerByte() | headerByte() << 8);
    }
    if ((flags & FNAME) != 0) {
      skipString();
    }
    if ((flags & FCOMMENT) != 0) {
      skipString();
    }
    if ((flags & FHCRC) != 0) {
      int computed = (int) headerCrc.getValue() & 0xffff;
      int recorded = sourceByte() | sourceByte() << 8;
      if (recorded != computed) {
        throw malformed("header CRC: expected " + hex(recorded) + ", found " + hex(computed));
      }
    }
  }

  private void readTrailer() throws IOException {
    long recordedCrc = uint32();
    if (recordedCrc != crc.getValue()) {
      throw malformed("CRC32: expected " + hex(recordedCrc) + ", found " + hex(crc.getValue()));
    }
    long recordedLength = uint32();
    if (recordedLength != (memberLength & 0xffff_ffffL)) {
      throw malformed(
          "length modulo 2^32: expected " + recordedLength + ", found " + memberLength + " bytes");
    }
  }

  private long uint32() throws IOException {
    return sourceByte() | sourceByte() << 8 | sourceByte() << 16 | (long) sourceByte() << 24;
  }

  private void skip(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      headerByte();
    }
  }

  private void skipString() throws IOException {
    int skipped = headerByte();
    while (skipped != 0) {
      skipped = headerByte();
    }
  }

  private int headerByte() throws IOException {
    int value = sourceByte();
    headerCrc.update(value);
    return value;
  }

  private int sourceByte() throws IOException {
    int value = source.read();
    if (value < 0) {
      throw new MalformedImageException(
          STRUCTURE, source.offset(), "expected more data, found the end of the source");
    }
    return value;
  }

  private MalformedImageException malformed(String reason) {
    return new MalformedImageException(STRUCTURE, memberOffset, reason);
  }

  private static String hex(long value) {
    return Long.toHexString(value);
  }

  @Override
  public void close() throws IOException {
    try (source) {
      inflater.close();
    }
  }
}
