package dev.pvcpopulators.populate.upload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.volume.VolumeException;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ImageSizeTest {
  private static final long MEBI = 1L << 20;

  @TempDir private Path directory;

  /// Returns a qcow2 header of version 2 (QEMU docs/interop/qcow2, "Header").
  private static byte[] qcow2(long virtualSize) {
    ByteBuffer header = ByteBuffer.allocate(1 << 16);
    header.putInt(0x514649fb).putInt(2);
    header.putLong(0).putInt(0).putInt(16).putLong(virtualSize).putInt(0);
    header.putInt(1).putLong(1 << 17).putLong(1 << 16).putInt(1);
    return header.array();
  }

  @Test
  void aQcow2SaysItsSize() throws IOException, VolumeException {
    Path file = Files.write(directory.resolve("disk.qcow2"), qcow2(10 * MEBI));
    assertEquals(new Quantity("10Mi"), ImageSize.of(file, Optional.empty(), true));
  }

  @Test
  void aRawImageHasTheSizeOfItsFile() throws IOException, VolumeException {
    Path file = Files.write(directory.resolve("disk.raw"), new byte[(int) (3 * MEBI)]);
    assertEquals(new Quantity("3Mi"), ImageSize.of(file, Optional.empty(), true));
  }

  @Test
  void anyBytesOfTheNamedFormatRawHaveTheSizeOfTheirFile() throws IOException, VolumeException {
    Path file = Files.writeString(directory.resolve("text"), "A line of text\n".repeat(100));
    assertEquals(new Quantity("1Mi"), ImageSize.of(file, Optional.of(ImageFormat.RAW), true));
  }

  @Test
  void aCompressedRawImageNeedsASize() throws IOException {
    Path file = directory.resolve("disk.raw.gz");
    try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
      gzip.write(new byte[(int) MEBI]);
    }
    VolumeException e =
        assertThrows(VolumeException.class, () -> ImageSize.of(file, Optional.empty(), false));
    assertTrue(e.failure().detail().contains("raw+gzip"), e.failure().detail());
    assertTrue(e.failure().detail().contains("--size"), e.failure().detail());
  }

  @Test
  void aTextIsNoImage() throws IOException {
    Path file =
        Files.writeString(directory.resolve("page.html"), "<html>not found</html>\n".repeat(40));
    assertThrows(VolumeException.class, () -> ImageSize.of(file, Optional.empty(), false));
  }

  @ParameterizedTest
  @CsvSource({
    "1, true, 1Mi",
    "1048577, true, 2Mi",
    "1, false, 2Mi",
    "15728640, false, 16Mi",
    "10737418240, false, 10923Mi"
  })
  void fileSystemsNeedASixteenth(long virtualSize, boolean block, String storage) {
    assertEquals(new Quantity(storage), ImageSize.storage(virtualSize, block));
  }
}
