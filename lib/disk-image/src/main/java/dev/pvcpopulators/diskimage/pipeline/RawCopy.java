package dev.pvcpopulators.diskimage.pipeline;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.OptionalLong;

/// Copies a raw image to a disk: host offset and guest offset are the same.
final class RawCopy {
  private static final int SECTOR = 512;
  private static final byte[] DMG_TRAILER = {'k', 'o', 'l', 'y', 0, 0, 0, 4, 0, 0, 2, 0};

  private RawCopy() {}

  /// Copies the image to its end.
  ///
  /// @param length bytes of the image, if known
  /// @param named whether the user named the format raw; if true, any length is accepted, and the
  ///   image may end with the trailer of a DMG
  /// @return bytes copied
  /// @throws MalformedImageException if `length` is present and the image has another length
  /// @throws UnsupportedFeatureException if `named` is false, and the image has the trailer of a
  ///   DMG or a length that is not a multiple of 512 bytes; the caller must publish nothing
  static long copy(InputStream image, OptionalLong length, boolean named, DiskSink disk)
      throws IOException {
    if (length.isPresent()) {
      if (!named) {
        requireSectors(length.getAsLong());
      }
      disk.expect(length.getAsLong());
    }
    Guest guest = new Guest(disk, length);
    long offset = image.transferTo(guest);
    if (length.isPresent() && length.getAsLong() != offset) {
      throw new MalformedImageException(
          "raw image", offset, "expected " + length.getAsLong() + " bytes, found the end");
    }
    if (!named) {
      guest.requireNoTrailer();
      // The length of a decompressed stream is known only at its end.
      requireSectors(offset);
    }
    return offset;
  }

  private static void requireSectors(long length) throws UnsupportedFeatureException {
    if (length % SECTOR != 0) {
      throw new UnsupportedFeatureException(
          "Expected a disk image, found "
              + length
              + " bytes of an unknown format, which are no whole number of sectors of "
              + SECTOR
              + " bytes: the source may be cut, or no disk (an Apple DMG has such lengths). Name the"
              + " format raw if these bytes are the disk");
    }
  }

  /// Writes the disk sequentially from its beginning.
  private static final class Guest extends OutputStream {
    private final DiskSink disk;
    private final OptionalLong promised;
    private final byte[] trailer = new byte[SECTOR];
    private long offset;

    Guest(DiskSink disk, OptionalLong promised) {
      this.disk = disk;
      this.promised = promised;
    }

    @Override
    public void write(int single) throws IOException {
      write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] source, int at, int length) throws IOException {
      if (promised.isPresent() && length > promised.getAsLong() - offset) {
        throw new MalformedImageException(
            "raw image", offset, "expected " + promised.getAsLong() + " bytes, found more");
      }
      disk.write(offset, source, at, length);
      offset += length;
      keepTrailer(source, at, length);
    }

    private void keepTrailer(byte[] source, int at, int length) {
      int fresh = Math.min(length, SECTOR);
      System.arraycopy(trailer, fresh, trailer, 0, SECTOR - fresh);
      System.arraycopy(source, at + length - fresh, trailer, SECTOR - fresh, fresh);
    }

    /// Refuses a DMG (Universal Disk Image Format). The last 512 bytes of a DMG begin with `koly`,
    /// the version 4 and the number 512, big-endian.
    void requireNoTrailer() throws UnsupportedFeatureException {
      if (Arrays.equals(trailer, 0, DMG_TRAILER.length, DMG_TRAILER, 0, DMG_TRAILER.length)) {
        throw new UnsupportedFeatureException(
            "The source is a DMG (Apple disk image); convert it with: qemu-img convert -f dmg -O"
                + " qcow2 SOURCE disk.qcow2");
      }
    }
  }
}
