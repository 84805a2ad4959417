package dev.pvcpopulators.ext4.structure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Tests directory blocks: this library reads the kernel's blocks, and e2fsck and the kernel read
/// the library's blocks.
@Tag("tools")
class DirectoryBlockTest {
  private static KernelImage image;

  @BeforeAll
  static void make() throws IOException {
    image = KernelImage.make(16 << 20);
    image.mounted(
        """
        mkdir kernel ours
        : > target
        for i in {1..60}; do ln target "kernel/name-$i"; done
        for i in 1 2 9 10 11 30 60; do rm "kernel/name-$i"; done
        long=$(printf 'n%.0s' {1..255})
        ln target kernel/$long
        ln -s somewhere kernel/link
        mknod kernel/pipe p
        mkdir kernel/below
        """);
  }

  @AfterAll
  static void close() throws IOException {
    image.close();
  }

  private static long blockOf(String path) throws IOException {
    Inode inode = Inode.read(image.inode(image.inodeNumber(path)));
    return ExtentTree.read(inode.block(), image.blockCount(), new Unreachable())
        .extents()
        .getFirst()
        .start();
  }

  /// A storage of extent nodes that fails on each call. The extent trees of the directories in this
  /// test have only a root, so no other node is read or written.
  private record Unreachable() implements ExtentTree.Nodes {
    @Override
    public ByteBuffer read(long block) {
      throw new AssertionError("node " + block);
    }

    @Override
    public void write(long block, ByteBuffer node) {
      throw new AssertionError("node " + block);
    }
  }

  /// Makes the entry at an offset refer to another inode.
  private static void point(ByteBuffer block, int offset, int inode, FileType type) {
    LittleEndian.put32(block, offset, inode);
    block.put(offset + 7, (byte) type.entryType());
  }

  private static Map<String, String> entries(ByteBuffer block) throws IOException {
    TreeMap<String, String> found = new TreeMap<>();
    DirectoryBlock.visit(
        block,
        0,
        (offset, inode, type, nameOffset, nameLength) -> {
          byte[] name = new byte[nameLength];
          block.get(nameOffset, name);
          assertEquals(null, found.put(new String(name, UTF_8), inode + " " + type(type)));
        });
    return found;
  }

  @Test
  void readsTheKernelsEntries() throws IOException {
    TreeMap<String, String> expected = new TreeMap<>();
    String listing =
        image.mounted(
            "find kernel -mindepth 1 -printf '%f %i %y\\n'; stat -c '. %i d' kernel;"
                + " stat -c '.. %i d' .");
    for (String line : listing.strip().split("\n", -1)) {
      String[] fields = line.split(" ", -1);
      FileType type =
          switch (fields[2]) {
            case "f" -> FileType.REGULAR;
            case "d" -> FileType.DIRECTORY;
            case "l" -> FileType.SYMBOLIC_LINK;
            case "p" -> FileType.FIFO;
            default -> throw new AssertionError(line);
          };
      expected.put(fields[0], fields[1] + " " + type);
    }
    assertEquals(59, expected.size());
    assertEquals(expected, entries(image.block(blockOf("kernel"))));
  }

  @Test
  void beginsAsTheKernelDoes() throws IOException {
    image.mounted("mkdir empty");
    int self = image.inodeNumber("empty");
    ByteBuffer ours = ByteBuffer.allocate(4096);
    DirectoryBlock.begin(ours, self, 2);
    assertEquals(image.block(blockOf("empty")), ours);
    image.mounted("rmdir empty");
  }

  /// The kernel and this library use the same rules, so the same changes give the same entries at
  /// the same offsets.
  @Test
  void changesAsTheKernelDoes() throws IOException {
    long seed = 77;
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    StringBuilder script = new StringBuilder("mkdir same; : > one\n");
    ByteBuffer ours = ByteBuffer.allocate(4096);
    List<String> names = new ArrayList<>();
    List<String[]> calls = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      if (!names.isEmpty() && random.nextInt(5) < 2) {
        String name = names.remove(random.nextInt(names.size()));
        script.append("rm same/").append(name).append('\n');
        calls.add(new String[] {"rm", name});
      } else if (names.size() < 20) {
        String name = i + "n".repeat(random.nextInt(150));
        names.add(name);
        script.append("ln one same/").append(name).append('\n');
        calls.add(new String[] {"ln", name});
      }
    }
    image.mounted(script.toString());
    int target = image.inodeNumber("one");
    DirectoryBlock.begin(ours, image.inodeNumber("same"), 2);
    for (String[] call : calls) {
      if (call[0].equals("ln")) {
        assertEquals(
            true, DirectoryBlock.add(ours, Name.of(call[1]), target, FileType.REGULAR) >= 0);
      } else {
        DirectoryBlock.remove(ours, offsetOf(ours, call[1]));
      }
    }
    ByteBuffer kernels = image.block(blockOf("same"));
    assertEquals(entries(kernels), entries(ours));
    assertEquals(lengths(kernels), lengths(ours));
    image.block(blockOf("same"), ours);
    image.check();
    assertEquals(
        new TreeSet<>(names),
        new TreeSet<>(List.of(image.mounted("ls -U same").strip().split("\n", -1))));
    image.mounted("rm -r same one");
    image.check();
  }

  private static int offsetOf(ByteBuffer block, String name) throws IOException {
    int[] found = {-1};
    DirectoryBlock.visit(
        block,
        0,
        (offset, inode, type, nameOffset, nameLength) -> {
          byte[] bytes = new byte[nameLength];
          block.get(nameOffset, bytes);
          if (new String(bytes, UTF_8).equals(name)) {
            found[0] = offset;
          }
        });
    return found[0];
  }

  private static List<Integer> lengths(ByteBuffer block) {
    List<Integer> lengths = new ArrayList<>();
    for (int at = 0; at < 4096; at += lengths.getLast()) {
      lengths.add((block.get(at + 4) & 0xff) | ((block.get(at + 5) & 0xff) << 8));
    }
    return lengths;
  }

  @Test
  void fillsABlockToTheLastByte() throws IOException {
    ByteBuffer block = ByteBuffer.allocate(4096);
    DirectoryBlock.clear(block);
    assertEquals(255, DirectoryBlock.room(block));
    for (int i = 0; i < 15; i++) {
      String name = (char) ('a' + i) + "x".repeat(254);
      assertEquals(i * 264, DirectoryBlock.add(block, Name.of(name), 12, FileType.REGULAR));
    }
    // The free space is 4,096 - 15 × 264 = 136 bytes. An entry needs 8 of these bytes before its
    // name.
    assertEquals(128, DirectoryBlock.room(block));
    assertEquals(-1, DirectoryBlock.add(block, Name.of("y".repeat(129)), 12, FileType.REGULAR));
    assertEquals(3960, DirectoryBlock.add(block, Name.of("y".repeat(128)), 12, FileType.REGULAR));
    assertEquals(-1, DirectoryBlock.room(block));
    assertEquals(-1, DirectoryBlock.add(block, Name.of("z"), 12, FileType.REGULAR));
    DirectoryBlock.remove(block, 264);
    assertEquals(255, DirectoryBlock.room(block));
    DirectoryBlock.remove(block, 0);
    assertEquals(14, entries(block).size());
    assertEquals(0, DirectoryBlock.add(block, Name.of("first"), 13, FileType.FIFO));
    point(block, 0, 14, FileType.SOCKET);
    assertEquals("14 SOCKET", entries(block).get("first"));
  }

  @Test
  void survivesAnyBytes() throws IOException {
    long seed = 4096;
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    byte[] sound = new byte[4096];
    image.block(blockOf("kernel")).get(sound);
    int refused = 0;
    for (int round = 0; round < 4_000; round++) {
      ByteBuffer block = ByteBuffer.wrap(sound.clone());
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        int at = random.nextInt(random.nextBoolean() ? 1_400 : 4_096);
        block.put(at, (byte) (block.get(at) ^ (1 << random.nextInt(8))));
      }
      try {
        DirectoryBlock.visit(
            block.asReadOnlyBuffer(), 7, (offset, inode, type, at, length) -> block.get(at));
      } catch (DamagedFileSystemException e) {
        refused++;
      }
      DirectoryBlock.room(block);
      DirectoryBlock.add(block, Name.of("n".repeat(1 + random.nextInt(255))), 3, FileType.REGULAR);
      try {
        DirectoryBlock.remove(block, random.nextInt(1024) * 4);
      } catch (DamagedFileSystemException e) {
        refused++;
      }
    }
    assertEquals(true, refused > 500);
  }

  @Test
  void refusesNamesThatAreNone() {
    for (String name : List.of("a/b", "a\0b", ".", "..")) {
      ByteBuffer block = ByteBuffer.allocate(4096);
      DirectoryBlock.begin(block, 12, 2);
      DirectoryBlock.add(block, Name.of("xyz".substring(0, name.length())), 13, FileType.REGULAR);
      block.put(24 + 8, name.getBytes(UTF_8));
      assertThrows(DamagedFileSystemException.class, () -> entries(block), name);
    }
  }

  private static FileType type(int entryType) {
    return Arrays.stream(FileType.values())
        .filter(type -> type.entryType() == entryType)
        .findFirst()
        .orElseThrow();
  }
}
