package dev.pvcpopulators.iscsitarget.medium;

import dev.pvcpopulators.linux.NativeFile;
import dev.pvcpopulators.linux.SystemCallException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.UUID;

/// A file with two bitmaps of the blocks of a disk. It consists of a header and the two bitmaps.
/// Each of these three parts begins at a multiple of 4,096 bytes. The class that uses the map
/// defines the meaning of the bits.
///
/// The file is mapped into memory, so the bitmaps take no heap. The bits survive a kill of the
/// process, because the pages belong to the kernel. [#create] writes every byte of the file. So a
/// later change of a bit needs no new space. If it needed new space and the file system were full,
/// the change could end the process (SIGBUS). [#close] does not end the mapping, because a thread
/// that still reads the bitmaps must not access unmapped memory. The mapping ends when the bitmaps
/// are unreachable.
public final class BlockMapFile implements Closeable {
  /// The number of bytes of the disk that one bit represents.
  public static final int BLOCK = 4096;

  /// The greatest length of a disk, 16 TiB: one block more than the longest file of ext4 with
  /// blocks of 4 KiB.
  public static final long MAX_DISK_LENGTH = 16L << 40;

  private static final int SECTOR = 512;
  private static final int PAGE = 4096;
  private static final int ZEROS_AT_ONCE = 256 << 10;
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /// A boot ID that no host has.
  private static final UUID NO_BOOT = new UUID(0, 0);

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

  /// Creates a map with all bits clear and overwrites the file.
  ///
  /// @param identity the source of the disk, at most [MapHeader#MAX_IDENTITY] bytes of UTF-8
  /// @throws MediumFullException if there is no room for the file
  public static BlockMapFile create(Path file, long diskLength, String identity)
      throws IOException {
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
      // The header is written last. If the creation is interrupted, the file has no header, and
      // [#open] refuses it.
      channel.write(header.write(), 0);
      return new BlockMapFile(channel, header);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /// Opens an existing map.
  ///
  /// @param diskLength in bytes
  /// @param identity the identity that was given to [#create]
  /// @throws MapRefusedException if the map is not valid ([#readHeader]), or belongs to another
  ///   disk
  public static BlockMapFile open(Path file, long diskLength, String identity) throws IOException {
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

  /// Opens the map of a disk that is not complete.
  ///
  /// @return the map; empty in these cases: there is no valid map of this disk; the disk is
  ///   complete; [#distrust] was called; the map was created in an earlier boot of the host. A
  ///   reboot loses pages that the kernel has not written to the storage
  public static Optional<BlockMapFile> openPartial(Path file, long diskLength, String identity)
      throws IOException {
    BlockMapFile map;
    try {
      map = open(file, diskLength, identity);
    } catch (NoSuchFileException | MapRefusedException e) {
      return Optional.empty();
    }
    if (map.header.complete() || !map.header.boot().equals(currentBoot())) {
      map.close();
      return Optional.empty();
    }
    return Optional.of(map);
  }

  /// Reads the header of a map.
  ///
  /// @throws MapRefusedException if the map is not valid: the file has no valid header, or the
  ///   length of the file does not match the header
  public static MapHeader readHeader(Path file) throws IOException {
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
            .orElseThrow(() ->
                new MapRefusedException(
                    file, "its header is not that of a block map, or is damaged"));
    if (length != fileLength(header.diskLength())) {
      throw new MapRefusedException(file, "it has " + length + " bytes");
    }
    return header;
  }

  /// Returns the header of the map of a complete disk.
  ///
  /// @return the header; empty if there is no valid map with this identity, or if the disk is not
  ///   complete
  public static Optional<MapHeader> completeHeader(Path file, String identity) throws IOException {
    try {
      MapHeader header = readHeader(file);
      boolean fits = header.complete() && header.identity().equals(identity);
      return fits ? Optional.of(header) : Optional.empty();
    } catch (NoSuchFileException | MapRefusedException e) {
      return Optional.empty();
    }
  }

  public static boolean fits(long diskLength) {
    return diskLength > 0 && diskLength <= MAX_DISK_LENGTH && diskLength % SECTOR == 0;
  }

  public static void checkDiskLength(long diskLength) {
    if (!fits(diskLength)) {
      throw new IllegalArgumentException(
          "A disk of " + diskLength + " bytes: not a multiple of 512 up to 16 TiB");
    }
  }

  /// Returns the number of blocks of a disk; the last block may be shorter.
  public static long blocks(long diskLength) {
    return Math.ceilDiv(diskLength, (long) BLOCK);
  }

  /// Returns the ID of the current boot of the host. Callers use the ID to detect a reboot, because
  /// a reboot loses pages that the kernel has not written to the storage.
  public static UUID currentBoot() throws IOException {
    return UUID.fromString(Files.readString(BOOT_ID).strip());
  }

  public MapHeader header() {
    return header;
  }

  public Bitmap first() {
    return first;
  }

  public Bitmap second() {
    return second;
  }

  /// Changes the header. The change is on stable storage after [#force]. Used by one thread at a
  /// time.
  public void writeHeader(MapHeader changed) throws IOException {
    channel.write(changed.write(), 0);
    header = changed;
  }

  /// Records that a flush of the disk or of this map failed: from now on, the map counts as a map
  /// of an earlier boot. The kernel may have dropped the bytes of blocks whose bits are set. The
  /// kernel reports this loss only once (fsync(2)), so without this record, a later process could
  /// not detect the loss. Used by one thread at a time.
  ///
  /// @param lost the failure of the flush. A [ClosedChannelException] has no effect, because a
  ///   closed file loses no bytes. If the changed header cannot be written or flushed, the
  ///   exception of that attempt is added to `lost` as a suppressed exception
  public void distrust(IOException lost) {
    if (lost instanceof ClosedChannelException) {
      return;
    }
    try {
      writeHeader(header.inBoot(NO_BOOT));
      force();
    } catch (IOException e) {
      lost.addSuppressed(e);
    }
  }

  /// Flushes to stable storage all changes of the header and of the bits that were made before this
  /// call.
  public void force() throws IOException {
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

  /// Writes zeros through a [NativeFile], because the exceptions of [NativeFile] have an error
  /// number that shows whether the file system is full.
  private static void writeZeros(Path file, long length) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocate(ZEROS_AT_ONCE);
    try (NativeFile map = NativeFile.openToWrite(file, NativeFile.Links.REFUSED)) {
      for (long position = 0; position < length; position += zeros.limit()) {
        zeros.clear().limit((int) Math.min(zeros.capacity(), length - position));
        map.write(position, zeros);
      }
    } catch (SystemCallException e) {
      throw MediumFullException.orSame(e);
    }
  }
}
