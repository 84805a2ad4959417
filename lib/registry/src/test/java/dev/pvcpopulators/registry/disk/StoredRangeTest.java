package dev.pvcpopulators.registry.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.TarBytes;
import dev.pvcpopulators.it.TarWriter;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests which disk files are stored unchanged in a range of a blob.
@Timeout(1200)
class StoredRangeTest {
  private static final String TITLE = "org.opencontainers.image.title";

  /// A name that does not fit into a tar header, so that `tar` writes additional headers in each
  /// format.
  private static final String LONG_NAME = "n".repeat(180) + ".img";

  private final FakeStore store = new FakeStore();
  private final byte[] disk = new byte[1_000_003];

  @TempDir Path home;

  @BeforeEach
  void makeDisk() throws IOException {
    new Random(3).nextBytes(disk);
    Files.createDirectory(home.resolve("disk"));
  }

  private Optional<StoredRange> stored(Image image) throws IOException {
    try (FoundDisk found = DiskSearch.find(image, store, DiskPath.DEFAULT, SearchListener.NONE)) {
      Optional<StoredRange> stored = found.stored();
      try (InputStream stream = found.open()) {
        byte[] content = stream.readAllBytes();
        if (stored.isPresent()) {
          assertEquals(content.length, stored.get().length());
          try (InputStream again =
              store.range(stored.get().blob(), stored.get().offset(), stored.get().length())) {
            assertArrayEquals(content, again.readAllBytes());
          }
        }
      }
      return stored;
    }
  }

  private byte[] tar(String... options) {
    return Command.of("tar", "-C", home.toString())
        .with((Object[]) options)
        .with("-c", "disk")
        .bytes(new byte[0]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "oldgnu", "pax", "posix"})
  @Tag("tools")
  void isTheFileInAPlainTar(String format) throws IOException {
    Files.write(home.resolve("disk").resolve(LONG_NAME), disk);
    Descriptor layer = store.add(FakeStore.TAR_GZIP, tar("--format=" + format));
    StoredRange stored = stored(FakeStore.image(layer)).orElseThrow();
    assertEquals(layer, stored.blob());
    assertEquals(disk.length, stored.length());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax --sparse-version=0.0", "pax --sparse-version=1.0"})
  @Tag("tools")
  void isNotASparseFile(String format) throws IOException {
    byte[] sparse = Arrays.copyOf(disk, 8 << 20);
    Path file = home.resolve("disk/sparse.img");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(disk), 0);
      channel.write(ByteBuffer.wrap(new byte[1]), sparse.length - 1);
    }
    Descriptor layer =
        store.add(FakeStore.TAR, tar(("--sparse --format=" + format).split(" ", -1)));
    assertEquals(Optional.empty(), stored(FakeStore.image(layer)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "zstd", "xz"})
  @Tag("tools")
  void isNotInACompressedLayer(String tool) throws IOException {
    Files.write(home.resolve("disk/a.img"), disk);
    byte[] layer = Command.of(tool, "-c").bytes(tar());
    assertEquals(Optional.empty(), stored(FakeStore.image(store.add(FakeStore.TAR, layer))));
  }

  /// The file of the disk is compressed, so the stored range contains compressed bytes.
  @Test
  @Tag("tools")
  void isTheCompressedFileInAPlainTar() throws IOException {
    byte[] compressed = Command.of("zstd", "-c").bytes(disk);
    Files.write(home.resolve("disk/a.zst"), compressed);
    Descriptor layer = store.add(FakeStore.TAR, tar());
    assertEquals(compressed.length, stored(FakeStore.image(layer)).orElseThrow().length());
  }

  @Test
  @Tag("tools")
  void isAWholeArtifactUnlessItIsCompressed() throws IOException {
    Map<String, String> title = Map.of(TITLE, "disk.raw");
    Descriptor plain = store.add("application/octet-stream", disk, title);
    assertEquals(
        Optional.of(new StoredRange(plain, 0, disk.length)), stored(FakeStore.image(false, plain)));
    byte[] zstd = Command.of("zstd", "-c").bytes(disk);
    Descriptor compressed = store.add("application/octet-stream", zstd, title);
    assertEquals(Optional.empty(), stored(FakeStore.image(false, compressed)));
  }

  @Test
  @Tag("tools")
  void isAKubeVirtDiskThatIsNotCompressed() throws IOException {
    Map<String, String> size = Map.of("io.kubevirt.disk.size", "1000003");
    Descriptor plain = store.add("application/vnd.kubevirt.disk.raw", disk, size);
    assertEquals(
        Optional.of(new StoredRange(plain, 0, disk.length)), stored(FakeStore.image(false, plain)));
    Descriptor compressed =
        store.add(
            "application/vnd.kubevirt.disk.raw+zstd", Command.of("zstd", "-c").bytes(disk), size);
    assertEquals(Optional.empty(), stored(FakeStore.image(false, compressed)));
  }

  @Test
  void doesNotTrustALengthBeyondTheLayer() throws IOException {
    byte[] cut =
        new TarWriter()
            .raw(TarBytes.header("disk/a.img", '0', "", 1L << 40))
            .file("x", "y")
            .bytes();
    Descriptor layer = store.add(FakeStore.TAR, cut);
    try (FoundDisk found =
        DiskSearch.find(FakeStore.image(layer), store, DiskPath.DEFAULT, SearchListener.NONE)) {
      assertEquals(Optional.empty(), found.stored());
    }
  }

  @Test
  void endsWithinItsBlob() {
    Descriptor blob = store.add("", new byte[10]);
    assertEquals(10, new StoredRange(blob, 0, 10).length());
    assertEquals(0, new StoredRange(blob, 10, 0).length());
    for (long[] range : new long[][] {{0, 11}, {1, 10}, {-1, 1}, {Long.MAX_VALUE, 1}, {0, -1}}) {
      assertThrows(IllegalArgumentException.class, () -> new StoredRange(blob, range[0], range[1]));
    }
  }
}
