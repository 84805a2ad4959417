package dev.pvcpopulators.iscsitarget.medium;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/// Two bitmaps of the blocks of a disk, in a file: a header, then the bitmaps, each from a multiple
/// of 4,096 bytes. What the two mean is up to who has the map.
///
/// The file is mapped: the bitmaps cost no heap, and what was set in them is there after the
/// process was killed, because the pages are the kernel's. Every byte of the file is written when
/// it is made, so that a disk that is full later cannot end the process at a store into the mapping
/// (SIGBUS). The mapping goes when nobody has the bitmaps any more, not with [#close]: a thread
/// that still reads finds memory.
final class BlockMapFile implements Closeable {
  /// Bytes a bit stands for.
  static final int BLOCK = 4096;

  /// The longest disk, 16 TiB: the longest file that ext4 has with its usual blocks.
  static final long MAX_DISK_LENGTH = 16L << 40;

  private static final int SECTOR = 512;
  private static final int PAGE = 4096;
  private static final int ZEROS_AT_ONCE = 256 << 10;
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final FileChannel channel;
  private final Bitmap first;
  private final Bitmap second;
  private MapHeader header;

  private BlockMapFile(FileChannel channel, MapHeader header) throws IOException {
    this.channel = channel;
    this.header = header;
    long blocks = blocks(header.diskLength());
    this.first = map(channel, 0, blocks);
    this.second = map(channel, 1, blocks);
  }

  /// Makes a map with no bit set, over whatever was in the file.
  ///
  /// @param identity what the disk is made from, at most [MapHeader#MAX_IDENTITY] bytes of UTF-8
  /// @throws MediumFullException where there is no room for it
  static BlockMapFile create(Path file, long diskLength, String identity) throws IOException {
    MapHeader header = new MapHeader(diskLength, identity, false, currentBoot());
    FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    try {
      writeZeros(file, fileLength(diskLength));
      // Last: a file whose making was cut short has no header and is refused.
      channel.write(header.write(), 0);
      return new BlockMapFile(channel, header);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /// Opens the map of a disk as it was left.
  ///
  /// @param diskLength bytes
  /// @param identity as it was given to [#create]
  /// @throws MapRefusedException where the file is no whole map, or one of another disk
  static BlockMapFile open(Path file, long diskLength, String identity) throws IOException {
    MapHeader header = readHeader(file);
    if (header.diskLength() != diskLength || !header.identity().equals(identity)) {
      throw new MapRefusedException(
          file,
          "expected one of %s with %d bytes, found one of %s with %d bytes"
              .formatted(identity, diskLength, header.identity(), header.diskLength()));
    }
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try {
      return new BlockMapFile(channel, header);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /// @throws MapRefusedException where the file is no whole map
  static MapHeader readHeader(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MapHeader.SIZE);
    long length;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
      length = channel.size();
    }
    if (bytes.hasRemaining()) {
      throw new MapRefusedException(file, "it ends in its header");
    }
    MapHeader header =
        MapHeader.read(bytes)
            .orElseThrow(() -> new MapRefusedException(file, "its header is not one, or is torn"));
    if (length != fileLength(header.diskLength())) {
      throw new MapRefusedException(file, "it has " + length + " bytes");
    }
    return header;
  }

  /// The header of the map of a complete disk.
  ///
  /// @return empty where there is no whole map, or not one that is complete and of this identity
  static Optional<MapHeader> completeHeader(Path file, String identity) throws IOException {
    try {
      MapHeader header = readHeader(file);
      boolean fits = header.complete() && header.identity().equals(identity);
      return fits ? Optional.of(header) : Optional.empty();
    } catch (NoSuchFileException | MapRefusedException e) {
      return Optional.empty();
    }
  }

  static boolean fits(long diskLength) {
    return diskLength > 0 && diskLength <= MAX_DISK_LENGTH && diskLength % SECTOR == 0;
  }

  static void checkDiskLength(long diskLength) {
    if (!fits(diskLength)) {
      throw new IllegalArgumentException(
          "A disk of " + diskLength + " bytes: not a multiple of 512 up to 16 TiB");
    }
  }

  /// The blocks of a disk, the last of which may be cut short.
  static long blocks(long diskLength) {
    return Math.ceilDiv(diskLength, (long) BLOCK);
  }

  /// The boot that the machine is in: a file's unwritten pages do not outlive it.
  static UUID currentBoot() throws IOException {
    return UUID.fromString(Files.readString(BOOT_ID).strip());
  }

  MapHeader header() {
    return header;
  }

  Bitmap first() {
    return first;
  }

  Bitmap second() {
    return second;
  }

  /// Changes the header; on stable storage after [#force]. By one thread at a time.
  void writeHeader(MapHeader changed) throws IOException {
    channel.write(changed.write(), 0);
    header = changed;
  }

  /// Returns when all that was set before, and the header, is on stable storage.
  void force() throws IOException {
    channel.force(true);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private static long bitmapLength(long diskLength) {
    return Math.ceilDiv(Bitmap.bytes(blocks(diskLength)), (long) PAGE) * PAGE;
  }

  private static long fileLength(long diskLength) {
    return PAGE + 2 * bitmapLength(diskLength);
  }

  private static Bitmap map(FileChannel channel, int index, long blocks) throws IOException {
    long length = bitmapLength(blocks * BLOCK);
    long position = PAGE + index * length;
    return new Bitmap(channel.map(MapMode.READ_WRITE, position, length, Arena.ofAuto()), blocks);
  }

  /// Writes by a descriptor, which can tell that there is no room.
  private static void writeZeros(Path file, long length) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate(ZEROS_AT_ONCE);
    try (Descriptor descriptor = Descriptor.open(file, true, Descriptor.Links.REFUSED)) {
      for (long position = 0; position < length; position += zeros.limit()) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), length - position));
        descriptor.write(position, zeros);
      }
    }
  }
}
