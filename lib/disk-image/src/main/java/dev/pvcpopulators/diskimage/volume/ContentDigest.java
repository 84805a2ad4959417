package dev.pvcpopulators.diskimage.volume;

import static dev.pvcpopulators.diskimage.volume.Sizes.BLOCK;
import static dev.pvcpopulators.diskimage.volume.Sizes.MIB;

import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.OptionalLong;

/// The digest of a disk's bytes. It is the SHA-256 of a sequence of bytes. For each MiB that is not
/// all zeros, the sequence contains the index of the MiB (8 bytes, big-endian) and the content of
/// the MiB. At the end, the sequence contains the length of the disk (8 bytes, big-endian).
///
/// A hole and written zeros give the same digest. A MiB without data is not read, so that the cost
/// depends on the amount of data and not on the size of the disk. The digest differs from the
/// output of `sha256sum`, because each MiB of zeros is omitted and the indexes and the length are
/// included.
final class ContentDigest {
  private static final String PREFIX = "mib-sha256:";

  /// After each MiB that is read and whose index is a multiple of this number, the clean pages of
  /// the file are dropped from the page cache.
  private static final long DROPPED_AT_ONCE = 64;

  private ContentDigest() {}

  /// Reads the disk and computes the digest.
  ///
  /// @param length the length of the disk in bytes
  /// @return `mib-sha256:` and 64 hexadecimal digits
  /// @throws IOException if the file cannot be read, if the work is cancelled, or if bytes that
  ///   were written to the file earlier were lost
  static String of(NativeFile file, long length, Cancellation cancellation) throws IOException {
    MessageDigest hash = sha256();
    ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mib = arena.allocate(MIB, BLOCK);
      OptionalLong data = file.nextData(0);
      while (data.isPresent() && data.getAsLong() < length) {
        cancellation.check();
        long index = data.getAsLong() / MIB;
        long read = Math.min(file.read(index * MIB, mib), length - index * MIB);
        if (!Sizes.zeros(mib, read)) {
          hash.update(number.clear().putLong(index).flip());
          hash.update(mib.asSlice(0, read).asByteBuffer());
        }
        if (index % DROPPED_AT_ONCE == 0) {
          file.startWriteback();
        }
        data = file.nextData((index + 1) * MIB);
      }
    }
    hash.update(number.clear().putLong(length).flip());
    return PREFIX + HexFormat.of().formatHex(hash.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Each Java platform has SHA-256", e);
    }
  }
}
