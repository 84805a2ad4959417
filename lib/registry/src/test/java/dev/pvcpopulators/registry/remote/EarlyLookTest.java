package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.DiskSink;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.diskimage.pipeline.DiskImport;
import dev.pvcpopulators.diskimage.pipeline.ImportListener;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.Manifest;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.disk.DiskPath;
import dev.pvcpopulators.registry.disk.DiskSearch;
import dev.pvcpopulators.registry.disk.FoundDisk;
import dev.pvcpopulators.registry.disk.SearchListener;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Tests that a disk is found and can be read before the registry has sent the whole layer.
@Tag("tools")
@Timeout(1200)
class EarlyLookTest {
  private static final int WAIT_SECONDS = 600;
  private static final int BLOCK = 512;

  private final byte[] disk = new byte[8 << 20];
  private final CountDownLatch rest = new CountDownLatch(1);

  @TempDir Path home;

  /// Fills the disk with random bytes, and sets every second byte to `x`, so that the disk is
  /// compressible.
  @BeforeEach
  void makeDisk() throws IOException {
    new Random(5).nextBytes(disk);
    for (int i = 0; i < disk.length; i += 2) {
      disk[i] = 'x';
    }
    Files.createDirectory(home.resolve("disk"));
  }

  /// Creates a registry that sends the first `after` bytes of a layer, and sends the other bytes
  /// when the latch `rest` opens.
  private FaultyRegistry stopping(Content layer, int after) throws IOException {
    return new FaultyRegistry((request, reply) -> {
      byte[] bytes = layer.bytes();
      reply.head(200, "Content-Length: " + bytes.length).bytes(bytes, 0, after);
      try {
        if (rest.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
          reply.bytes(bytes, after, bytes.length - after);
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    });
  }

  private Content layer(String compression) throws IOException {
    Path tar = home.resolve("layer.tar");
    Command.run("tar", "--format=ustar", "-C", home.toString(), "-cf", tar.toString(), "disk");
    if (compression.equals("none")) {
      return Content.of(Files.readAllBytes(tar));
    }
    Path compressed = home.resolve("layer");
    Command.run("sh", "-c", compression + " -c < " + tar + " > " + compressed);
    return Content.of(Files.readAllBytes(compressed));
  }

  private static FoundDisk find(RegistryStore store, Content layer) throws IOException {
    Descriptor described =
        new Descriptor(
            "application/vnd.oci.image.layer.v1.tar",
            layer.descriptor().digest(),
            layer.bytes().length,
            Map.of());
    Image image =
        new Image(
            "test:image",
            described.digest(),
            Optional.empty(),
            new Manifest("", "", described, List.of(described), Map.of()),
            Optional.of(
                new ImageConfig(
                    new Platform("linux", "amd64", ""),
                    List.of(),
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of(),
                    "",
                    "",
                    List.of(),
                    List.of(),
                    "")));
    return DiskSearch.find(image, store, DiskPath.DEFAULT, SearchListener.NONE);
  }

  /// The registry sends the tar headers of `disk/` and `disk/disk.img`, and the first `there` bytes
  /// of the disk. Then the registry waits.
  @ParameterizedTest
  @CsvSource({"0", "1", "512", "70000"})
  void theDiskIsFoundByItsHeaderAlone(int there) throws IOException {
    Files.write(home.resolve("disk/disk.img"), disk);
    Content layer = layer("none");
    try (FaultyRegistry registry = stopping(layer, 2 * BLOCK + there);
        RegistryStore store = registry.store();
        FoundDisk found = find(store, layer);
        InputStream stream = found.open()) {
      assertEquals(OptionalLong.of(disk.length), found.length());
      assertEquals(2 * BLOCK, found.stored().orElseThrow().offset());
      assertArrayEquals(Arrays.copyOf(disk, there), stream.readNBytes(there));
      rest.countDown();
      assertArrayEquals(Arrays.copyOfRange(disk, there, disk.length), stream.readAllBytes());
    }
  }

  /// The registry sends half of a compressed layer. From this half, the first three eighths of the
  /// disk must be readable.
  @ParameterizedTest
  @CsvSource({"gzip -1", "gzip -6", "zstd -3", "xz -0"})
  void returnsTheReceivedBytes(String compression) throws IOException {
    Files.write(home.resolve("disk/disk.img"), disk);
    Content layer = layer(compression);
    int there = disk.length / 8 * 3;
    try (FaultyRegistry registry = stopping(layer, layer.bytes().length / 2);
        RegistryStore store = registry.store();
        FoundDisk found = find(store, layer);
        InputStream stream = found.open()) {
      assertArrayEquals(Arrays.copyOf(disk, there), stream.readNBytes(there));
      rest.countDown();
      assertArrayEquals(Arrays.copyOfRange(disk, there, disk.length), stream.readAllBytes());
    }
  }

  /// A sink that lets the registry send the rest of the layer when the first sector of the disk is
  /// written.
  private final class FirstSector implements DiskSink {
    private final byte[] arrived = new byte[disk.length];
    private long size = -1;
    private boolean early;

    @Override
    public void expect(long virtualSize) {
      size = virtualSize;
    }

    @Override
    public void write(long guestOffset, byte[] source, int offset, int length) {
      System.arraycopy(source, offset, arrived, Math.toIntExact(guestOffset), length);
      if (guestOffset == 0) {
        early = rest.getCount() > 0;
        rest.countDown();
      }
    }

    @Override
    public Staging staging(OptionalLong hostLength) {
      throw new AssertionError("asked to stage");
    }
  }

  @ParameterizedTest
  @CsvSource({"raw, none", "raw, gzip", "qcow2, none", "qcow2, gzip -1", "qcow2 -c, zstd"})
  void theFirstSectorComesOutOfTheFirstMegabyte(String format, String compression)
      throws IOException {
    Path raw = Files.write(home.resolve("raw"), disk);
    Command.run(
        "sh",
        "-c",
        "qemu-img convert -f raw -O " + format + " " + raw + " " + home.resolve("disk/disk.img"));
    Content layer = layer(compression);
    try (FaultyRegistry registry = stopping(layer, 1 << 20);
        RegistryStore store = registry.store();
        FoundDisk found = find(store, layer)) {
      FirstSector sink = new FirstSector();
      DiskImport.stream(found.open(), found.length(), sink, Optional.empty(), ImportListener.NONE);
      assertTrue(sink.early);
      assertEquals(disk.length, sink.size);
      assertArrayEquals(disk, sink.arrived);
    }
  }
}
