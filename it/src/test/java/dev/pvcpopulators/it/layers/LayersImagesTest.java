package dev.pvcpopulators.it.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.image.LayersVolume;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks conversions of real images. `e2fsck` and `qemu-img check` accept the disk of every layer.
/// The machine's disk contains exactly the files that umoci unpacks.
@Tag("tools")
final class LayersImagesTest {
  @TempDir private Path work = Path.of("");

  static List<String> names() {
    return Rounds.all() ? RealImages.NAMES : List.of("busybox");
  }

  /// All images are converted into one volume. Images with a common base share layers.
  @ParameterizedTest
  @MethodSource("names")
  void areTheSameAsUnpacked(String name) throws IOException, InterruptedException {
    JsonNode details = RealImages.converted(name);
    LayersVolume volume = RealImages.volume();
    List<Path> chain = volume.chain(name);
    assertEquals(chain.size(), details.path("layers").asInt());
    for (Path layer : chain) {
      assertSound(layer);
    }
    assertSound(volume.disk(name));
    try (DiskExport disk = DiskExport.of(volume.disk(name), work)) {
      RealImages.expected(name).assertEquals(TreeList.ofDisk(disk.raw(), work));
    }
  }

  private void assertSound(Path image) throws IOException, InterruptedException {
    LayersVolume.check(image);
    try (DiskExport disk = DiskExport.of(image, work)) {
      disk.assertClean();
    }
  }

  /// The image `minbase` has at least ten layers.
  @Test
  void permitsTheDocumentedDepth() throws IOException {
    int layers = RealImages.layers("minbase").size();
    assertTrue(layers >= 10, () -> "minbase has " + layers);
  }
}
