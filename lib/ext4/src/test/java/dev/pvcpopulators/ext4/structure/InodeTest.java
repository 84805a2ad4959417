package dev.pvcpopulators.ext4.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Compares inodes of the kernel with the output of `stat`, and with the bytes that this library
/// writes.
@Tag("tools")
class InodeTest {
  private static final int FLAGS = 0x20;
  private static final int VERSION = 0x24;
  private static final int GENERATION = 0x64;
  private static final int VERSION_HIGH = 0x98;

  private static KernelImage image;
  private static String[] listing;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException {
    image = KernelImage.make(32 << 20);
    image.mounted(
        """
        rmdir lost+found
        echo content > plain
        chown 4000000000:3999999999 plain
        chmod 6751 plain
        touch -m -d '2040-01-02 03:04:05.123456789 UTC' plain
        touch -a -d '1955-06-07 08:09:10.999999999 UTC' plain
        : > first; touch -d '1901-12-13 20:45:52 UTC' first
        : > early; touch -d '1800-01-01 00:00:00.5 UTC' early
        : > last;  touch -d '2446-05-10 22:38:54.999999999 UTC' last
        : > late;  touch -d '2500-01-01 00:00:00.5 UTC' late
        : > epoch; touch -d '2038-01-19 03:14:08.000000001 UTC' epoch
        truncate -s 15T large
        mkdir -m 1777 directory
        mkdir directory/below
        ln plain directory/second
        mknod pipe p
        mknod null c 1 3
        mknod wide b 300 70000
        mknod most c 4095 1048575
        mknod edge b 255 256
        ln -s "$(printf 'x%.0s' {1..59})" fast
        ln -s "$(printf 'y%.0s' {1..60})" slow
        """);
    Path socket = directory.resolve("socket");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
    }
    image.mounted("cp -a \"$1\" .", socket);
    listing =
        image
            .mounted("find . -exec stat -c '%i %f %u %g %s %.9X %.9Z %.9Y %.9W %h %b %n' {} +")
            .split("\n");
  }

  @AfterAll
  static void close() throws IOException {
    image.close();
  }

  @Test
  void readsStructuresOfTheKernel() throws IOException {
    assertEquals(19, listing.length);
    for (String line : listing) {
      String[] stat = line.split(" ", -1);
      Inode inode = Inode.read(image.inode(Integer.parseInt(stat[0])));
      String found =
          String.join(
              " ",
              stat[0],
              Integer.toHexString(inode.mode()),
              Long.toString(inode.uid()),
              Long.toString(inode.gid()),
              Long.toString(inode.size()),
              decimal(inode.accessed()),
              decimal(inode.changed()),
              decimal(inode.modified()),
              decimal(inode.created()),
              Integer.toString(inode.links()),
              Long.toString(inode.sectors()),
              stat[11]);
      assertEquals(line, found);
    }
  }

  private static String decimal(Timestamp time) {
    return BigDecimal.valueOf(time.seconds())
        .add(BigDecimal.valueOf(time.nanoseconds(), 9))
        .setScale(9)
        .toPlainString();
  }

  @Test
  void writesTheBytesOfTheKernel() throws IOException {
    for (String line : listing) {
      ByteBuffer kernels = image.inode(Integer.parseInt(line.substring(0, line.indexOf(' '))));
      ByteBuffer ours = ByteBuffer.allocate(Inode.SIZE);
      Inode.read(kernels.duplicate()).write(ours);
      // The kernel uses the version and the generation for NFS; this library writes 0 into these
      // fields.
      kernels.putInt(VERSION, 0).putInt(GENERATION, 0).putInt(VERSION_HIGH, 0);
      assertEquals(kernels, ours.flip(), line);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "first, -2147483648, 0, ./first",
    "early, -9999999999, 500000000, ./early",
    "last, 15032385534, 999999999, ./last",
    "late, 99999999999, 500000000, ./late",
    "epoch, 2147483648, 1, ./epoch"
  })
  void clampsTimesAsLinuxDoes(String path, long seconds, int nanoseconds) throws IOException {
    Inode inode = Inode.read(image.inode(image.inodeNumber(path)));
    assertEquals(inode.modified(), new Timestamp(seconds, nanoseconds));
  }

  @ParameterizedTest
  @CsvSource({"null, 1, 3", "wide, 300, 70000", "most, 4095, 1048575", "edge, 255, 256"})
  void knowsDevices(String path, int major, int minor) throws IOException {
    Inode inode = Inode.read(image.inode(image.inodeNumber(path)));
    assertEquals(inode.block(), new DeviceNumber(major, minor).block());
  }

  @ParameterizedTest
  @CsvSource({
    "plain, REGULAR",
    "directory, DIRECTORY",
    "pipe, FIFO",
    "null, CHARACTER_DEVICE",
    "wide, BLOCK_DEVICE",
    "fast, SYMBOLIC_LINK",
    "socket, SOCKET"
  })
  void knowsTypes(String path, FileType type) throws IOException {
    Inode inode = Inode.read(image.inode(image.inodeNumber(path)));
    assertEquals(type, FileType.ofMode(inode.mode()).orElseThrow());
    assertEquals(true, inode.is(type));
  }

  @Test
  void readsAnyBytes() throws IOException {
    long seed = 20261121;
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    byte[] bytes = new byte[Inode.SIZE];
    int read = 0;
    for (int round = 0; round < 4_000; round++) {
      random.nextBytes(bytes);
      ByteBuffer source = ByteBuffer.wrap(bytes);
      source.put(0x80, (byte) 32).put(0x81, (byte) 0);
      try {
        Inode inode = Inode.read(source);
        inode.write(ByteBuffer.allocate(Inode.SIZE));
        read++;
      } catch (DamagedFileSystemException e) {
        assertEquals(Inode.SIZE, source.position());
      }
    }
    assertEquals(true, read > 200);
  }

  @Test
  void refusesStructuresThatItDoesNotWrite() {
    assertThrows(DamagedFileSystemException.class, () -> Inode.read(with(0x6f, 0x80)));
    assertThrows(DamagedFileSystemException.class, () -> Inode.read(with(FLAGS + 2, 0x04)));
    assertThrows(DamagedFileSystemException.class, () -> Inode.read(with(0x80, 28)));
  }

  private static ByteBuffer with(int offset, int value) {
    return ByteBuffer.allocate(Inode.SIZE).put(offset, (byte) value);
  }

  @Test
  void takesZerosForAnInodeThatIsNotInUse() throws IOException {
    Inode inode = Inode.read(ByteBuffer.allocate(Inode.SIZE));
    assertEquals(0, inode.links());
    assertEquals(true, FileType.ofMode(inode.mode()).isEmpty());
  }
}
