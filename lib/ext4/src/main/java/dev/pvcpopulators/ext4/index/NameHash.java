package dev.pvcpopulators.ext4.index;

import dev.pvcpopulators.ext4.structure.Name;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// Computes SipHash-2-4 of names; only the lower 32 bits are used.
///
/// The key is public. To find another name with a given hash, an attacker must try about 2³² names.
/// It is therefore possible, but expensive, to make an archive with many names that have the same
/// hash.
///
/// The key is a constant, because the order of reads and cache evictions depends on the hash and
/// must be the same on every host.
public final class NameHash {
  private static final long KEY_0 = 0x0706_0504_0302_0100L;
  private static final long KEY_1 = 0x0f0e_0d0c_0b0a_0908L;
  private static final int END = 0xff;

  private long v0 = KEY_0 ^ 0x736f_6d65_7073_6575L;
  private long v1 = KEY_1 ^ 0x646f_7261_6e64_6f6dL;
  private long v2 = KEY_0 ^ 0x6c79_6765_6e65_7261L;
  private long v3 = KEY_1 ^ 0x7465_6462_7974_6573L;

  private NameHash() {}

  public static int of(Name name) {
    ByteBuffer bytes = ByteBuffer.wrap(name.toArray()).order(ByteOrder.LITTLE_ENDIAN);
    return of(bytes, 0, name.length());
  }

  /// Returns the hash of bytes.
  ///
  /// @param bytes a little-endian buffer that contains the name
  public static int of(ByteBuffer bytes, int offset, int length) {
    NameHash hash = new NameHash();
    int words = length / Long.BYTES * Long.BYTES;
    for (int i = 0; i < words; i += Long.BYTES) {
      hash.take(bytes.getLong(offset + i));
    }
    long last = (long) length << (Long.SIZE - Byte.SIZE);
    for (int i = words; i < length; i++) {
      last |= Byte.toUnsignedLong(bytes.get(offset + i)) << ((i - words) * Byte.SIZE);
    }
    hash.take(last);
    hash.v2 ^= END;
    hash.round();
    hash.round();
    hash.round();
    hash.round();
    return (int) (hash.v0 ^ hash.v1 ^ hash.v2 ^ hash.v3);
  }

  private void take(long word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  private void round() {
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
  }
}
