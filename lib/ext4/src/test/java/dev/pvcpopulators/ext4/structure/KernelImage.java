package dev.pvcpopulators.ext4.structure;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.pvcpopulators.ext4.KernelMount;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A file system that mke2fs makes and the kernel fills. It has the same features as the file
/// systems of this library. Tests read and write its blocks and inodes as bytes.
final class KernelImage implements AutoCloseable {
  private static final int BLOCK = 4096;
  private static final int INODE = 256;
  private static final String FEATURES =
      "none,filetype,extent,flex_bg,sparse_super2,large_file,huge_file,extra_isize,dir_nlink,"
          + "ext_attr,uninit_bg";

  private final Path home;
  private final Path image;

  private KernelImage(Path home) {
    this.home = home;
    this.image = home.resolve("image");
  }

  static KernelImage make(long size) throws IOException {
    KernelImage made = new KernelImage(Files.createTempDirectory("ext4-structure"));
    try (RandomAccessFile file = new RandomAccessFile(made.image.toFile(), "rw")) {
      file.setLength(size);
    }
    Command.run(
        "mke2fs",
        "-q",
        "-F",
        "-O",
        FEATURES,
        "-G",
        "128",
        "-E",
        "num_backup_sb=0,lazy_itable_init=0",
        "-I",
        "256",
        "-b",
        "4096",
        made.image.toString());
    return made;
  }

  /// Mounts the file system and runs a script in its root.
  String mounted(String script, Object... arguments) {
    return KernelMount.run(image, "rw", script, arguments);
  }

  int inodeNumber(String path) {
    String found = Command.run("debugfs", "-R", "stat \"/" + path + "\"", image.toString());
    Matcher matcher = Pattern.compile("^Inode: (\\d+)", Pattern.MULTILINE).matcher(found);
    if (!matcher.find()) {
      throw new AssertionError(path + ": " + found);
    }
    return Integer.parseInt(matcher.group(1));
  }

  /// Checks the file system with e2fsck.
  void check() {
    Command.run("e2fsck", "-fn", image.toString());
  }

  long blockCount() throws IOException {
    return Files.size(image) / BLOCK;
  }

  ByteBuffer block(long number) throws IOException {
    return read(number * BLOCK, BLOCK);
  }

  void block(long number, ByteBuffer content) throws IOException {
    write(number * BLOCK, content.duplicate().clear());
  }

  ByteBuffer inode(int number) throws IOException {
    return read(inodeOffset(number), INODE);
  }

  void inode(int number, ByteBuffer content) throws IOException {
    write(inodeOffset(number), content.duplicate().clear());
  }

  private long inodeOffset(int number) throws IOException {
    ByteBuffer superblock = read(1024, 1024);
    int perGroup = superblock.getInt(0x28);
    int group = (number - 1) / perGroup;
    long table = Integer.toUnsignedLong(read(BLOCK + group * 32L, 32).getInt(8));
    return table * BLOCK + (number - 1) % perGroup * (long) INODE;
  }

  private ByteBuffer read(long offset, int length) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(image, READ)) {
      while (target.hasRemaining() && channel.read(target, offset + target.position()) > 0) {}
    }
    return target.flip();
  }

  private void write(long offset, ByteBuffer content) throws IOException {
    try (FileChannel channel = FileChannel.open(image, WRITE)) {
      channel.write(content, offset);
    }
  }

  @Override
  public void close() throws IOException {
    Command.run("rm", "-rf", home.toString());
  }
}
