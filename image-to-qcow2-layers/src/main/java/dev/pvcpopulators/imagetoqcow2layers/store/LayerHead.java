package dev.pvcpopulators.imagetoqcow2layers.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.linux.Directory;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/// The fields at the beginning of a layer's file (QEMU docs/interop/qcow2, "Header"), big-endian.
///
/// | Offset | Size | Field                      |
/// |-------:|-----:|----------------------------|
/// |      0 |    4 | magic number               |
/// |      4 |    4 | version                    |
/// |      8 |    8 | offset of the backing name |
/// |     16 |    4 | length of the backing name |
/// |     24 |    8 | virtual size               |
///
/// @param virtualSize in bytes
/// @param backingName empty if there is no backing file
record LayerHead(long virtualSize, String backingName) {
  private static final int HEAD_LENGTH = 4096;
  private static final int MAGIC = 0x514649fb;
  private static final int VERSION = 3;
  private static final int BACKING_OFFSET = 8;
  private static final int BACKING_LENGTH = 16;
  private static final int VIRTUAL_SIZE = 24;

  /// Reads the head of a file.
  ///
  /// @return the head; empty if there is no regular file with this name, if the file is shorter
  ///   than 4 KiB, if the file is not a qcow2 file of version 3, or if the backing name does not
  ///   end within the first 4 KiB
  static Optional<LayerHead> read(Directory directory, String name) throws IOException {
    if (directory.status(name).filter(status -> status.regularFile()).isEmpty()) {
      return Optional.empty();
    }
    try (NativeFile file = directory.openToRead(name);
        Arena arena = Arena.ofConfined()) {
      MemorySegment head = arena.allocate(HEAD_LENGTH);
      return file.read(0, head) < HEAD_LENGTH ? Optional.empty() : read(head.asByteBuffer());
    }
  }

  private static Optional<LayerHead> read(ByteBuffer head) {
    long offset = head.getLong(BACKING_OFFSET);
    int length = head.getInt(BACKING_LENGTH);
    if (head.getInt(0) != MAGIC
        || head.getInt(Integer.BYTES) != VERSION
        || offset < 0
        || length < 0
        || offset > HEAD_LENGTH
        || length > HEAD_LENGTH - offset) {
      return Optional.empty();
    }
    byte[] backingName = new byte[length];
    head.get((int) offset, backingName);
    return Optional.of(new LayerHead(head.getLong(VIRTUAL_SIZE), new String(backingName, UTF_8)));
  }
}
