package dev.pvcpopulators.it.guest;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.Initramfs;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/// A bootable raw disk. The disk contains a FAT file system with SYSLINUX, Debian's kernel and
/// busybox. Incompressible data follows the file system. Because of this data, a pull of the disk
/// takes much longer than a boot from the disk.
///
/// @param image the raw disk
/// @param marker the content of the file `marker` in the file system. After the mount, the guest
///   prints `booted: ` and this content
public record BootDisk(Path image, String marker) {
  /// The offset in the disk at which the guest writes [#PATTERN_LENGTH] bytes. The guest needs no
  /// data near this offset for booting.
  public static final long PATTERN_OFFSET = 100L << 20;

  public static final long PATTERN_LENGTH = 64L << 10;

  /// The value of each byte that the guest writes.
  public static final int PATTERN = 'A';

  /// The line that the guest prints after its writes have reached stable storage.
  public static final String WRITTEN = "written";

  private static final String BOOTED = "booted: ";
  private static final int BLOCK = 1 << 20;

  /// Options of mformat for 24 MiB: 32 sectors of 512 bytes per track, 32 heads, 48 tracks per
  /// head.
  private static final String[] GEOMETRY = {"-s", "32", "-h", "32", "-t", "48"};

  private static final String SYSLINUX =
      """
      DEFAULT linux
      LABEL linux
        KERNEL vmlinuz
        INITRD initramfs
        APPEND console=ttyS0 panic=-1 quiet
      """;

  private static final String INIT =
      """
      mount -t proc proc /proc
      mount -t sysfs sys /sys
      mount -t devtmpfs dev /dev
      for module in virtio_pci virtio_blk vfat nls_cp437 nls_ascii; do modprobe $module; done
      mount -t vfat -o ro /dev/vda /mnt
      echo "booted: $(cat /mnt/marker)"
      head -c 65536 /dev/zero | tr '\\0' A >/tmp/pattern
      dd if=/tmp/pattern of=/dev/vda bs=64k seek=1600 conv=fsync 2>/dev/null && echo written
      poweroff -f
      """;

  /// Makes the disk `boot.img` in a directory.
  ///
  /// @param length the length of the disk in bytes, a multiple of 1 MiB and at least 101 MiB
  public static BootDisk make(Path directory, long length, Random random) throws IOException {
    String marker = "marker-" + Long.toHexString(random.nextLong());
    Path image = directory.resolve("boot.img");
    Path initramfs =
        Initramfs.in(directory)
            .modules("virtio_pci", "virtio_blk", "vfat", "nls_cp437", "nls_ascii")
            .init(INIT)
            .pack();
    Path config = Files.writeString(directory.resolve("syslinux.cfg"), SYSLINUX);
    Path text = Files.writeString(directory.resolve("marker"), marker);
    Command.run("truncate", "-s", "24M", image.toString());
    Command.of("mformat", "-i", image).with((Object[]) GEOMETRY).with("::").tried().ok();
    copy(image, Initramfs.kernel(), "vmlinuz");
    copy(image, initramfs, "initramfs");
    copy(image, config, "syslinux.cfg");
    copy(image, text, "marker");
    Command.run("syslinux", "--install", image.toString());
    pad(image, length, random);
    return new BootDisk(image, marker);
  }

  private static void copy(Path image, Path file, String name) throws IOException {
    Command.run("mcopy", "-i", image.toString(), file.toString(), "::" + name);
  }

  private static void pad(Path image, long length, Random random) throws IOException {
    byte[] block = new byte[BLOCK];
    try (OutputStream out = Files.newOutputStream(image, StandardOpenOption.APPEND)) {
      for (long end = Files.size(image); end < length; end += BLOCK) {
        random.nextBytes(block);
        out.write(block);
      }
    }
  }

  /// Waits until a booting guest has mounted the file system.
  public void awaitBooted(Guest guest) throws IOException, InterruptedException {
    guest.await(BOOTED + marker);
  }
}
