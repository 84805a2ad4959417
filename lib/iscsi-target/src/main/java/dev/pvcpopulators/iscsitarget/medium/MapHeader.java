package dev.pvcpopulators.iscsitarget.medium;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/// The header of a [BlockMapFile]. It is little-endian and has [#SIZE] bytes; unused bytes are
/// zeros.
///
/// | Offset | Size | Field                                             |
/// |-------:|-----:|---------------------------------------------------|
/// |      0 |    8 | magic, `PVCBLKMP`                                 |
/// |      8 |    4 | version, 1                                        |
/// |     12 |    4 | flags; bit 0: complete                            |
/// |     16 |    8 | length of the disk in bytes                       |
/// |     24 |   16 | boot id, most significant half first              |
/// |     40 |    4 | CRC-32C of the header with zeros in this field    |
/// |     44 |    2 | length of the identity in bytes                   |
/// |     46 |  200 | identity, UTF-8                                   |
///
/// The header is one sector long, so that a power failure leaves either the old header or the new
/// header.
///
/// @param diskLength in bytes, a multiple of 512
/// @param identity the source of the disk, at most [#MAX_IDENTITY] bytes
/// @param complete whether the disk is complete on stable storage
/// @param boot the ID of the host's boot in which the map was last written; zeros after
///   [BlockMapFile#distrust]
public record MapHeader(long diskLength, String identity, boolean complete, UUID boot) {
  public static final int SIZE = 512;
  public static final int MAX_IDENTITY = 200;

  private static final long MAGIC = 0x504d_4b4c_4243_5650L;
  private static final int VERSION = 1;
  private static final int COMPLETE = 1;

  private static final int CHECKSUM_AT = 40;
  private static final int IDENTITY_AT = 46;

  public MapHeader {
    BlockMapFile.checkDiskLength(diskLength);
    if (identity.getBytes(StandardCharsets.UTF_8).length > MAX_IDENTITY) {
      throw new IllegalArgumentException("An identity of more than 200 bytes: " + identity);
    }
  }

  public MapHeader completed() {
    return new MapHeader(diskLength, identity, true, boot);
  }

  public MapHeader inBoot(UUID now) {
    return new MapHeader(diskLength, identity, complete, now);
  }

  /// Returns a buffer of [#SIZE] bytes, ready to be written.
  public ByteBuffer write() {
    ByteBuffer header = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
    byte[] name = identity.getBytes(StandardCharsets.UTF_8);
    header.putLong(MAGIC).putInt(VERSION).putInt(complete ? COMPLETE : 0).putLong(diskLength);
    header.putLong(boot.getMostSignificantBits()).putLong(boot.getLeastSignificantBits());
    header.putInt(0).putShort((short) name.length).put(name);
    header.putInt(CHECKSUM_AT, checksum(header));
    return header.clear();
  }

  /// Reads a header.
  ///
  /// @param header [#SIZE] bytes from index 0
  /// @return empty if the bytes are damaged, or are not a header of this version
  public static Optional<MapHeader> read(ByteBuffer header) {
    ByteBuffer in = header.duplicate().clear().order(ByteOrder.LITTLE_ENDIAN);
    int stored = in.getInt(CHECKSUM_AT);
    if (in.getLong() != MAGIC || in.getInt() != VERSION || checksum(header) != stored) {
      return Optional.empty();
    }
    int flags = in.getInt();
    long diskLength = in.getLong();
    UUID boot = new UUID(in.getLong(), in.getLong());
    int nameLength = Short.toUnsignedInt(in.position(CHECKSUM_AT + Integer.BYTES).getShort());
    if ((flags & ~COMPLETE) != 0 || !BlockMapFile.fits(diskLength) || nameLength > MAX_IDENTITY) {
      return Optional.empty();
    }
    byte[] name = new byte[nameLength];
    in.get(IDENTITY_AT, name);
    String identity = new String(name, StandardCharsets.UTF_8);
    return Optional.of(new MapHeader(diskLength, identity, (flags & COMPLETE) != 0, boot));
  }

  private static int checksum(ByteBuffer header) {
    byte[] bytes = new byte[SIZE];
    header.get(0, bytes);
    ByteBuffer.wrap(bytes).putInt(CHECKSUM_AT, 0);
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }
}
