package dev.pvcpopulators.diskimage.qcow2;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer.Options;
import dev.pvcpopulators.it.Command;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A stack of qcow2 files that [Qcow2Writer] writes, and a raw file with the expected content of
/// the disk.
final class WrittenDisk implements Closeable {
  private final Path directory;
  private final long size;
  private final Path raw;
  private final FileChannel expected;
  private final List<Path> files = new ArrayList<>();

  WrittenDisk(Path directory, long size) throws IOException {
    this.directory = directory;
    this.size = size;
    this.raw = directory.resolve("expected.raw");
    this.expected =
        FileChannel.open(
            raw,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE);
    if (size > 0) {
      expected.write(ByteBuffer.allocate(1), size - 1);
    }
  }

  /// Returns the files, the bottom file first.
  List<Path> files() {
    return List.copyOf(files);
  }

  Path top() {
    return files.getLast();
  }

  /// The calls that write one layer.
  @FunctionalInterface
  interface Calls {
    void make(Layer layer) throws Exception;
  }

  /// Writes the next file of the stack and checks the file with QEMU.
  Command.Ran layer(int clusterBits, boolean compression, Calls calls) throws Exception {
    write(clusterBits, compression, calls);
    Command.Ran check = Qemu.img("check", "-f", "qcow2", top()).ok();
    assertEquals(0, Files.size(top()) % (1 << clusterBits), "ends at a cluster");
    Qemu.requireEqual(top(), "qcow2", raw);
    return check;
  }

  /// Writes the next file of the stack without a check.
  void write(int clusterBits, boolean compression, Calls calls) throws Exception {
    Path file = directory.resolve("layer-" + files.size() + ".qcow2");
    Optional<String> below =
        files.isEmpty() ? Optional.empty() : Optional.of(top().getFileName().toString());
    Options options = new Options(size, clusterBits, below, compression);
    try (Qcow2Chain chain = Qcow2Chain.open(files, size);
        Qcow2Writer writer = Qcow2Writer.create(file, options, chain)) {
      calls.make(new Layer(writer));
      writer.finish();
    }
    files.add(file);
  }

  /// Reads the whole disk through the stack and compares the disk with the raw file.
  void requireReadable() throws IOException {
    try (Qcow2Chain chain = Qcow2Chain.open(files, size)) {
      assertEquals(size, chain.virtualSize());
      ByteBuffer actual = ByteBuffer.allocate(3_000_000);
      ByteBuffer wanted = ByteBuffer.allocate(3_000_000);
      for (long at = 0; at < size; at += actual.capacity()) {
        actual.clear().limit((int) Math.min(actual.capacity(), size - at));
        chain.read(at, actual);
        requireSame(at, actual, wanted);
      }
    }
  }

  private void requireSame(long at, ByteBuffer actual, ByteBuffer wanted) throws IOException {
    wanted.clear().limit(actual.limit());
    while (wanted.hasRemaining()) {
      if (expected.read(wanted, at + wanted.position()) < 0) {
        throw new AssertionError("the raw file is shorter than the disk");
      }
    }
    if (!actual.flip().equals(wanted.flip())) {
      throw new AssertionError("differs at byte " + (at + actual.mismatch(wanted)));
    }
  }

  @Override
  public void close() throws IOException {
    expected.close();
  }

  /// Writes the same bytes to the qcow2 file and to the raw file.
  final class Layer {
    private final Qcow2Writer writer;

    private Layer(Qcow2Writer writer) {
      this.writer = writer;
    }

    Qcow2Writer writer() {
      return writer;
    }

    Layer write(long guestOffset, byte[] bytes) throws IOException {
      ByteBuffer source = ByteBuffer.wrap(bytes);
      writer.write(guestOffset, source);
      assertEquals(0, source.remaining());
      expected.write(ByteBuffer.wrap(bytes), guestOffset);
      return this;
    }

    Layer writeDirect(long guestOffset, byte[] bytes) throws IOException {
      writer.write(guestOffset, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
      expected.write(ByteBuffer.wrap(bytes), guestOffset);
      return this;
    }

    Layer zeros(long guestOffset, int length) throws IOException {
      return write(guestOffset, new byte[length]);
    }

    /// Reads through the open writer and compares the bytes with the raw file.
    Layer requireReadable(long guestOffset, int length) throws IOException {
      ByteBuffer heap = ByteBuffer.allocate(length);
      writer.read(guestOffset, heap);
      requireSame(guestOffset, heap, ByteBuffer.allocate(length));
      ByteBuffer direct = ByteBuffer.allocateDirect(length);
      writer.read(guestOffset, direct);
      byte[] copy = new byte[length];
      direct.flip().get(copy);
      assertArrayEquals(heap.array(), copy);
      return this;
    }
  }
}
