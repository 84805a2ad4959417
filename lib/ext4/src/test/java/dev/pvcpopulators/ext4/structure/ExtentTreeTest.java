package dev.pvcpopulators.ext4.structure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests extent trees: this library reads the kernel's trees, and e2fsck and the kernel read the
/// library's trees.
@Tag("tools")
class ExtentTreeTest {
  private static final int BLOCK = 4096;

  private static KernelImage image;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException {
    image = KernelImage.make(64 << 20);
    for (int extents : List.of(4, 5, 1361, 1701)) {
      Path source = directory.resolve("file-" + extents);
      try (FileChannel file =
          FileChannel.open(source, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        for (int i = 0; i < extents; i++) {
          file.write(numbered(i), 2L * i * BLOCK);
        }
      }
    }
    image.mounted("cp --sparse=always \"$1\"/file-* .", directory);
  }

  @AfterAll
  static void close() throws IOException {
    image.close();
  }

  private static ByteBuffer numbered(int i) {
    ByteBuffer block = ByteBuffer.allocate(BLOCK);
    while (block.hasRemaining()) {
      block.putInt(i + 1);
    }
    return block.flip();
  }

  /// Stores nodes in the image.
  private record InImage() implements ExtentTree.Nodes {
    @Override
    public ByteBuffer read(long block) throws IOException {
      return image.block(block).asReadOnlyBuffer();
    }

    @Override
    public void write(long block, ByteBuffer node) throws IOException {
      assertEquals(BLOCK, node.remaining());
      image.block(block, node);
    }
  }

  /// Stores nodes in memory.
  private record InMemory(Map<Long, ByteBuffer> blocks) implements ExtentTree.Nodes {
    @Override
    public ByteBuffer read(long block) {
      ByteBuffer found = blocks.get(block);
      return found == null ? ByteBuffer.allocate(BLOCK) : found.duplicate().clear();
    }

    @Override
    public void write(long block, ByteBuffer node) {
      assertEquals(null, blocks.put(block, ByteBuffer.allocate(BLOCK).put(node).flip()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 1361, 1701})
  void readsTheKernelsTreesAndIsReadByTheKernel(int count) throws IOException {
    String path = "file-" + count;
    int number = image.inodeNumber(path);
    Inode inode = Inode.read(image.inode(number));
    ExtentTree tree = ExtentTree.read(inode.block(), image.blockCount(), new InImage());
    assertEquals(count, tree.extents().size());
    for (int i = 0; i < count; i++) {
      Extent extent = tree.extents().get(i);
      assertEquals(2L * i, extent.logical());
      assertEquals(numbered(i), image.block(extent.start()));
    }
    assertEquals(inode.sectors(), (count + tree.nodes().size()) * 8L);

    // The kernel wrote the file from front to back. Therefore it filled the nodes from the left, as
    // ExtentTree.write does.
    String before = image.mounted("sha256sum < \"$1\"", path);
    Bytes root = tree.write(new InImage());
    ByteBuffer raw = image.inode(number);
    root.write(raw.position(0x28));
    image.inode(number, raw);
    image.check();
    assertEquals(before, image.mounted("sha256sum < \"$1\"", path));
    assertEquals(tree, ExtentTree.read(root, image.blockCount(), new InImage()));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 0",
    "4, 0",
    "5, 1",
    "340, 1",
    "341, 2",
    "1360, 4",
    "1361, 6",
    "1700, 6",
    "462400, 1364",
    "462401, 1367",
    "1048576, 3096"
  })
  void countsNodes(int extents, int nodes) {
    assertEquals(nodes, ExtentTree.nodeCount(extents));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4, 5, 340, 341, 1360, 1361, 115_601, 462_401})
  void readsItsOwnOutput(int count) throws IOException {
    ExtentTree tree = tree(count);
    InMemory nodes = new InMemory(new HashMap<>());
    Bytes root = tree.write(nodes);
    assertEquals(tree.nodes().size(), nodes.blocks().size());
    assertEquals(tree, ExtentTree.read(root, 1L << 40, nodes));
  }

  private static ExtentTree tree(int count) {
    List<Extent> extents = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      extents.add(new Extent(3L * i, (1L << 33) + 5L * i, 1 + i % 2));
    }
    List<Long> nodes = new ArrayList<>();
    for (int i = 0; i < ExtentTree.nodeCount(count); i++) {
      nodes.add((1L << 34) + 7L * i);
    }
    return new ExtentTree(extents, nodes);
  }

  @Test
  void keepsTheLimits() throws IOException {
    Extent longest = new Extent(0xffff_ffffL - 32_768, 1, 32_768);
    Bytes root = new ExtentTree(List.of(longest), List.of()).write(new InMemory(Map.of()));
    assertEquals(List.of(longest), ExtentTree.read(root, 32_769, new InMemory(Map.of())).extents());
    assertThrows(
        DamagedFileSystemException.class,
        () -> ExtentTree.read(root, 32_768, new InMemory(Map.of())));
    byte[] unwritten = root.toArray();
    unwritten[12 + 4] = 1;
    assertThrows(
        DamagedFileSystemException.class,
        () -> ExtentTree.read(Bytes.of(unwritten), 1 << 20, new InMemory(Map.of())));
    ExtentTree tooMany = tree(ExtentTree.MAX_EXTENTS + 1);
    assertThrows(
        UnrepresentableException.class, () -> tooMany.write(new InMemory(new HashMap<>())));
  }

  @Test
  void survivesAnyBits() throws IOException {
    long seed = 0xf30a;
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    ExtentTree tree = tree(2_000);
    InMemory sound = new InMemory(new HashMap<>());
    Bytes root = tree.write(sound);
    int refused = 0;
    for (int round = 0; round < 800; round++) {
      Map<Long, ByteBuffer> blocks = new HashMap<>(sound.blocks());
      byte[] bytes = root.toArray();
      if (random.nextInt(4) == 0) {
        flip(ByteBuffer.wrap(bytes), random);
      } else {
        long block = tree.nodes().get(random.nextInt(tree.nodes().size()));
        ByteBuffer node = ByteBuffer.allocate(BLOCK).put(sound.read(block)).flip();
        flip(node, random);
        blocks.put(block, node);
      }
      try {
        ExtentTree.read(Bytes.of(bytes), 1L << 40, new InMemory(blocks));
      } catch (DamagedFileSystemException e) {
        refused++;
      }
    }
    assertEquals(true, refused > 100);
  }

  private static void flip(ByteBuffer bytes, Random random) {
    int at = random.nextInt(Math.min(bytes.limit(), random.nextBoolean() ? 24 : BLOCK));
    bytes.put(at, (byte) (bytes.get(at) ^ (1 << random.nextInt(8))));
  }

  /// All nodes below the root are the same block. A reader that followed every entry would read
  /// more than 340⁴ nodes.
  @Test
  void readsNoNodeTwice() throws IOException {
    ByteBuffer node = ByteBuffer.allocate(BLOCK).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    node.putShort(0, (short) 0xf30a).putShort(2, (short) 340).putShort(4, (short) 340);
    for (int i = 0; i < 340; i++) {
      node.putInt(12 + i * 12, i * 1000).putInt(12 + i * 12 + 4, 99);
    }
    int[] reads = {0};
    ExtentTree.Nodes same =
        new ExtentTree.Nodes() {
          @Override
          public ByteBuffer read(long block) {
            reads[0]++;
            return node.putShort(6, (short) (5 - reads[0]));
          }

          @Override
          public void write(long block, ByteBuffer written) {
            throw new AssertionError("node " + block);
          }
        };
    ByteBuffer root = ByteBuffer.allocate(60).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    root.putShort(0, (short) 0xf30a).putShort(2, (short) 1).putShort(4, (short) 4);
    root.putShort(6, (short) 5).putInt(16, 99);
    assertThrows(
        DamagedFileSystemException.class,
        () -> ExtentTree.read(Bytes.read(root, 60), 1 << 20, same));
    assertEquals(true, reads[0] < 10);
  }
}
