package dev.pvcpopulators.diskimage.qcow2;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests that [Qcow2Chain] reads valid backing chains and refuses invalid chains. QEMU creates the
/// files of all tests except one, in which our own writer creates them.
class Qcow2ChainTest {
  private static final int MIB = 1 << 20;
  private static final int SIZE = 24 * MIB + 3 * 512;

  @TempDir private Path directory = Path.of("");

  /// Creates a file with QEMU, and adds the file to `files`.
  private Path create(List<Path> files, String options) throws Exception {
    Path file = directory.resolve("file-" + files.size() + ".qcow2");
    List<Object> arguments = new ArrayList<>(List.of("create", "-q", "-f", "qcow2"));
    arguments.addAll(List.of("-o", options));
    if (!files.isEmpty()) {
      arguments.addAll(List.of("-F", "qcow2", "-b", files.getLast().getFileName()));
    }
    arguments.addAll(List.of(file, SIZE));
    Qemu.img(arguments.toArray()).ok();
    files.add(file);
    return file;
  }

  private static List<String> writes(Random random, boolean compressed) {
    List<String> commands = new ArrayList<>();
    if (compressed) {
      // Compressed writes come first, because QEMU cannot write compressed data to an allocated
      // cluster.
      for (int cluster = random.nextInt(20); cluster < SIZE >> 16; cluster += 37) {
        int pattern = 1 + random.nextInt(255);
        commands.add("write -c -P %d %d 64k".formatted(pattern, cluster << 16));
      }
    }
    for (int i = 0; i < 25; i++) {
      int length = 512 * (1 + random.nextInt(600));
      int at = random.nextInt((SIZE - length) / 512) * 512;
      String verb =
          switch (random.nextInt(5)) {
            case 0 -> "write -z";
            case 1 -> "discard";
            default -> "write -P " + (1 + random.nextInt(255));
          };
      commands.add("%s %d %d".formatted(verb, at, length));
    }
    return commands;
  }

  @Test
  @Tag("tools")
  void stacksThatQemuMade() throws Exception {
    long seed = Long.getLong("qcow2.seed", 21);
    Random random = new Random(seed);
    List<Path> files = new ArrayList<>();
    for (String options :
        List.of(
            "compat=0.10,cluster_size=64k",
            "cluster_size=4k",
            "cluster_size=64k,compression_type=zstd",
            "cluster_size=512",
            "cluster_size=2M",
            "cluster_size=64k,lazy_refcounts=on",
            "cluster_size=4k,refcount_bits=1")) {
      Path file = create(files, options);
      Qemu.io(file, writes(random, options.contains("64k")));
      requireSameAsQemu(files, seed, random);
    }
  }

  private void requireSameAsQemu(List<Path> files, long seed, Random random) throws Exception {
    Path raw = directory.resolve("expected.raw");
    Path copy = directory.resolve("copy.raw");
    Qemu.img("convert", "-f", "qcow2", "-O", "raw", files.getLast(), raw).ok();
    byte[] expected = Files.readAllBytes(raw);
    try (Qcow2Chain chain = Qcow2Chain.open(files, SIZE);
        RawFile sink = new RawFile(copy, SIZE)) {
      chain.copyTo(sink);
      for (int i = 0; i < 200; i++) {
        int length = random.nextInt(i % 10 == 0 ? MIB : 9000);
        int at = random.nextInt(SIZE - length);
        ByteBuffer target =
            i % 2 == 0 ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
        chain.read(at, target);
        assertEquals(0, target.remaining());
        assertEquals(
            ByteBuffer.wrap(expected, at, length), target.flip(), "seed " + seed + ", at " + at);
        long zeros = Math.min(chain.zeros(at), MIB);
        assertTrue(
            Arrays.equals(expected, at, (int) (at + zeros), new byte[MIB], 0, (int) zeros),
            "seed " + seed + ", zeros at " + at);
      }
    }
    assertEquals(-1, Files.mismatch(raw, copy), "seed " + seed + ", file " + files.size());
  }

  @Test
  @Tag("tools")
  void sixtyFilesDeep() throws Exception {
    long seed = 22;
    Random random = new Random(seed);
    try (WrittenDisk disk = new WrittenDisk(directory, SIZE)) {
      for (int i = 0; i < 60; i++) {
        disk.write(
            12,
            i % 7 == 3,
            layer -> {
              for (int j = 0; j < 30; j++) {
                byte[] bytes = new byte[1 + random.nextInt(20_000)];
                if (j % 5 > 0) {
                  random.nextBytes(bytes);
                }
                long at = random.nextInt(SIZE - bytes.length);
                layer.requireReadable(at, bytes.length).write(at, bytes);
              }
            });
      }
      disk.layer(
          16, false, layer -> layer.write(MIB - 100, new byte[70_000]).write(5, new byte[7]));
      disk.requireReadable();
      try (Qcow2Chain chain = Qcow2Chain.open(disk.files(), SIZE);
          RawFile sink = new RawFile(directory.resolve("copy.raw"), SIZE)) {
        chain.copyTo(sink);
        assertTrue(sink.allTold());
      }
      Qemu.requireEqual(disk.top(), "qcow2", directory.resolve("copy.raw"));
    } catch (AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  @Test
  void noFilesAreADiskOfZeros() throws Exception {
    try (Qcow2Chain chain = Qcow2Chain.open(List.of(), SIZE);
        RawFile sink = new RawFile(directory.resolve("zeros.raw"), SIZE)) {
      assertEquals(SIZE, chain.zeros(0));
      assertEquals(1, chain.zeros(SIZE - 1));
      assertThrows(IndexOutOfBoundsException.class, () -> chain.zeros(SIZE));
      chain.copyTo(sink);
      assertEquals(0, sink.writes());
    }
    assertThrows(IllegalArgumentException.class, () -> Qcow2Chain.open(List.of(), 511));
  }

  @Test
  @Tag("tools")
  void refusesAnotherStackThanExpected() throws Exception {
    List<Path> files = new ArrayList<>();
    create(files, "cluster_size=4k");
    create(files, "cluster_size=4k");
    create(files, "cluster_size=64k");
    Path bottom = files.get(0);
    Path middle = files.get(1);
    Path top = files.get(2);
    assertEquals(SIZE, opened(files, SIZE));
    // The caller may open the backing file by another path than the name in the header of `middle`.
    Files.createDirectory(directory.resolve("x"));
    Path around = directory.resolve("x/../" + bottom.getFileName());
    assertEquals(SIZE, opened(List.of(around, middle), SIZE));
    refused(MalformedImageException.class, files, SIZE + 512);
    refused(MalformedImageException.class, List.of(middle), SIZE);
    refused(MalformedImageException.class, List.of(bottom, top), SIZE);
    refused(MalformedImageException.class, List.of(bottom, bottom), SIZE);
    refused(MalformedImageException.class, List.of(bottom, middle, middle), SIZE);
    refused(MalformedImageException.class, List.of(directory), SIZE);
    Path fifo = directory.resolve("fifo");
    Command.of("mkfifo").with(fifo).bytes();
    refused(MalformedImageException.class, List.of(fifo), SIZE);
    // The header of `middle` names the right backing file, but the wrong format `raw`. With this
    // format, QEMU shows another disk.
    Qemu.img("rebase", "-u", "-f", "qcow2", "-F", "raw", "-b", bottom.getFileName(), middle).ok();
    refused(MalformedImageException.class, List.of(bottom, middle), SIZE);
    Qemu.img("rebase", "-u", "-f", "qcow2", "-F", "qcow2", "-b", bottom.toAbsolutePath(), middle)
        .ok();
    assertEquals(SIZE, opened(List.of(bottom, middle), SIZE));
    Qemu.img("rebase", "-u", "-f", "qcow2", "-F", "qcow2", "-b", "json:{}", middle);
    refused(MalformedImageException.class, List.of(bottom, middle), SIZE);
    refused(
        UnsupportedFeatureException.class,
        List.of(create(new ArrayList<>(), "extended_l2=on")),
        SIZE);
    refused(
        UnsupportedFeatureException.class,
        List.of(create(new ArrayList<>(), "data_file=" + directory.resolve("data"))),
        SIZE);
  }

  private static long opened(List<Path> files, long size) throws IOException {
    try (Qcow2Chain chain = Qcow2Chain.open(files, size)) {
      return chain.virtualSize();
    }
  }

  private static void refused(Class<? extends IOException> type, List<Path> files, long size) {
    assertInstanceOf(type, assertThrows(IOException.class, () -> opened(files, size)));
  }

  @Test
  @Tag("tools")
  void memoryOfL1TablesIsBounded() throws Exception {
    long size = 8L << 40;
    List<Path> files = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Path file = directory.resolve("l1-" + i);
      List<Object> arguments =
          new ArrayList<>(List.of("create", "-q", "-f", "qcow2", "-o", "cluster_size=4k"));
      if (i > 0) {
        arguments.addAll(List.of("-F", "qcow2", "-b", files.getLast().getFileName()));
      }
      arguments.addAll(List.of(file, size));
      Qemu.img(arguments.toArray()).ok();
      files.add(file);
      try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
        ByteBuffer offset = ByteBuffer.allocate(Long.BYTES);
        channel.read(offset, 40);
        // Each 4 KiB page of an L1 table of 32 MiB gets one entry that names an L2 table.
        ByteBuffer l1 = ByteBuffer.allocate(32 * MIB);
        for (int at = 0; at < l1.capacity(); at += 4096) {
          l1.putLong(at + 8 * (at >> 12) % 4096, 4096);
        }
        channel.write(l1, offset.getLong(0));
      }
    }
    assertEquals(size, opened(files.subList(0, 2), size));
    refused(UnsupportedFeatureException.class, files, size);
  }
}
