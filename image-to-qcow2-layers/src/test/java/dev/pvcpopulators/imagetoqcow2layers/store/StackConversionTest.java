package dev.pvcpopulators.imagetoqcow2layers.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.imagetoqcow2layers.fixture.Disk;
import dev.pvcpopulators.imagetoqcow2layers.fixture.OciLayout;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class StackConversionTest {
  private static final Geometry GEOMETRY = new Geometry(64L << 20);

  @TempDir Path directory;
  private final Blobs blobs = new Blobs();

  @Test
  void givesTheTreeThatUmociUnpacks() throws Exception {
    List<byte[]> tars = EverythingImage.layers();
    LayerStore store = LayerStore.open(directory.resolve("layers"));
    List<LayerSource> layers = tars.stream().map(blobs::gzip).toList();
    StackConversion.Converted converted = convert(store, layers);
    assertEquals(layers.size(), converted.made());
    for (int count = 1; count <= tars.size(); count++) {
      Path raw = Disk.check(store.file(converted.keys().get(count - 1)));
      assertEquals(unpacked(tars.subList(0, count)), Disk.tree(raw), "after layer " + count);
      Files.delete(raw);
    }
  }

  private String unpacked(List<byte[]> tars) throws IOException {
    Path layout = OciLayout.write(directory.resolve("layout" + tars.size()), tars);
    Path bundle = directory.resolve("bundle" + tars.size());
    Command.run("umoci", "unpack", "--image", layout + ":latest", bundle);
    return Disk.listing(bundle.resolve("rootfs"));
  }

  private StackConversion.Converted convert(LayerStore store, List<LayerSource> layers)
      throws IOException, InterruptedException {
    return StackConversion.run(
        new StackConversion.Stack(layers, GEOMETRY, false), blobs, store, Blobs.DEAF);
  }
}
