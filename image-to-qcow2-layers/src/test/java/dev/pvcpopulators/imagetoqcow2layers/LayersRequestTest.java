package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.registry.pull.ImageChoice;
import dev.pvcpopulators.volume.VolumeRequest;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LayersRequestTest {
  private static ImageChoice choice(Map<String, String> more) throws Exception {
    LayersSettings settings =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(LayersSettings.class)
            .withDefaultValue("image-to-qcow2-layers.image", "registry.example/app:1")
            .withDefaultValues(more)
            .build()
            .getConfigMapping(LayersSettings.class);
    return LayersRequest.of(settings, VolumeRequest.empty()).image().choice();
  }

  /// An image without an index must be for the platform of the guest's kernel.
  @Test
  void takesImagesForThePlatformOfTheKernelOnly() throws Exception {
    assertEquals(new ImageChoice(Platform.ofThisMachine(), "", true), choice(Map.of()));
    assertEquals(
        new ImageChoice(Platform.parse("linux/s390x"), "", true),
        choice(Map.of("image-to-qcow2-layers.platform", "linux/s390x")));
  }
}
