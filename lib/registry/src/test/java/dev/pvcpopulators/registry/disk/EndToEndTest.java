package dev.pvcpopulators.registry.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.pipeline.DiskImport;
import dev.pvcpopulators.diskimage.pipeline.ImportListener;
import dev.pvcpopulators.diskimage.pipeline.ImportedImage;
import dev.pvcpopulators.diskimage.volume.Origin;
import dev.pvcpopulators.diskimage.volume.VolumeTarget;
import dev.pvcpopulators.diskimage.volume.VolumeWriter;
import dev.pvcpopulators.diskimage.volume.WriteOptions;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.TarWriter;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Image;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Copies disks from layers into a volume. `qemu-img compare` compares the volume with the disk.
@Tag("tools")
@Timeout(1200)
class EndToEndTest {
  private static final Command QEMU_IMG = Command.of("qemu-img");
  private static final int MIB = 1 << 20;

  private final FakeStore store = new FakeStore();

  @TempDir Path home;
  private Path raw = Path.of("");
  private Path volume = Path.of("");

  @BeforeEach
  void makeDisk() throws IOException {
    byte[] disk = new byte[12 * MIB];
    byte[] data = new byte[2 * MIB];
    new Random(17).nextBytes(data);
    System.arraycopy(data, 0, disk, 3 * MIB, data.length);
    Arrays.fill(disk, 7 * MIB, 8 * MIB, (byte) 'x');
    raw = Files.write(home.resolve("raw"), disk);
    volume = Files.createDirectory(home.resolve("volume"));
  }

  private byte[] disk(String format) throws IOException {
    Path image = home.resolve("image");
    Command convert = QEMU_IMG.with("convert", "-f", "raw");
    switch (format) {
      case "raw" -> {
        return Files.readAllBytes(raw);
      }
      case "qcow2 -c" -> convert.with("-c", "-O", "qcow2", raw, image).bytes();
      default -> convert.with("-O", format, raw, image).bytes();
    }
    return Files.readAllBytes(image);
  }

  private static byte[] compressed(String tool, byte[] bytes) {
    return tool.equals("none") ? bytes : Command.of(tool, "-1", "-c").bytes(bytes);
  }

  private Descriptor layer(String compression, String name, byte[] disk) {
    byte[] tar = new TarWriter().directory("disk/").file(name, disk).file("etc/issue", "x").bytes();
    return store.add(FakeStore.TAR_GZIP, compressed(compression, tar));
  }

  private ImportedImage importDisk(Image image) throws IOException {
    try (FoundDisk disk = DiskSearch.find(image, store, DiskPath.DEFAULT, SearchListener.NONE);
        InputStream stream = disk.open();
        VolumeWriter writer = VolumeTarget.of(volume).open(WriteOptions.DEFAULTS)) {
      ImportedImage imported =
          DiskImport.run(stream, disk.length(), writer, Optional.empty(), ImportListener.NONE);
      writer.publish(Origin.digest(""), imported.format());
      return imported;
    }
  }

  private void assertVolumeHasTheDisk() {
    QEMU_IMG.with("compare", "-f", "raw", "-F", "raw", raw, volume.resolve("disk.img")).bytes();
  }

  @ParameterizedTest
  @CsvSource({
    "raw, none", "raw, gzip", "raw, zstd",
    "qcow2, none", "qcow2, gzip", "qcow2, zstd",
    "qcow2 -c, none", "qcow2 -c, gzip", "qcow2 -c, zstd"
  })
  void copiesEveryFormatOutOfEveryLayer(String format, String compression) throws IOException {
    Image image = FakeStore.image(layer(compression, "disk/a.img", disk(format)));
    ImportedImage imported = importDisk(image);
    assertEquals(format.equals("raw") ? ImageFormat.RAW : ImageFormat.QCOW2, imported.format());
    assertVolumeHasTheDisk();
    assertEquals(1, store.pulled.size());
  }

  @ParameterizedTest
  @CsvSource({"qcow2, xz, gzip", "raw, gzip, gzip", "qcow2, zstd, none", "vmdk, bzip2, zstd"})
  void unpacksADiskThatIsCompressedInItsLayer(String format, String disk, String compression)
      throws IOException {
    Image image =
        FakeStore.image(layer(compression, "disk/a." + disk, compressed(disk, disk(format))));
    assertEquals(List.of(disk), importDisk(image).wrapping());
    assertVolumeHasTheDisk();
  }

  @Test
  void copiesArtifacts() throws IOException {
    byte[] zstd = compressed("zstd", disk("qcow2"));
    Map<String, String> title = Map.of("org.opencontainers.image.title", "machine.qcow2.zst");
    Descriptor podman = store.add("application/zstd", zstd, title);
    assertEquals(List.of("zstd"), importDisk(FakeStore.image(false, podman)).wrapping());
    assertVolumeHasTheDisk();
    Files.delete(volume.resolve("disk.img"));
    Descriptor kubeVirt =
        store.add(
            "application/vnd.kubevirt.disk.raw+zstd",
            compressed("zstd", Files.readAllBytes(raw)),
            Map.of("io.kubevirt.disk.size", "12Mi"));
    importDisk(FakeStore.image(false, kubeVirt));
    assertVolumeHasTheDisk();
  }

  /// The damaged part of the layer follows the disk.
  @Test
  void publishesNothingThatWasNotVerified() throws IOException {
    byte[] tar = new TarWriter().file("disk/a.img", disk("qcow2")).file("etc/x", "x").bytes();
    Descriptor layer = store.add(FakeStore.TAR, tar);
    byte[] damaged = tar.clone();
    damaged[damaged.length - 1030] ^= 1;
    store.replace(layer, damaged);
    assertThrows(IOException.class, () -> importDisk(FakeStore.image(layer)));
    byte[] gzip = compressed("gzip", tar);
    gzip[gzip.length - 6] ^= 1;
    Descriptor wrongSum = store.add(FakeStore.TAR, gzip);
    assertThrows(MalformedImageException.class, () -> importDisk(FakeStore.image(wrongSum)));
    Descriptor two =
        store.add(
            FakeStore.TAR,
            new TarWriter().file("disk/a.img", disk("raw")).file("disk/b.img", "b").bytes());
    assertThrows(IOException.class, () -> importDisk(FakeStore.image(two)));
    try (Stream<Path> left = Files.list(volume)) {
      assertEquals(List.of(), left.toList());
    }
  }
}
