package dev.pvcpopulators.imagetoqcow2layers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.imagetoqcow2layers.fixture.Blobs;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.imagetoqcow2layers.machine.MadeImage;
import dev.pvcpopulators.kit.settings.ClaimName;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.ImageConfig;
import dev.pvcpopulators.registry.Manifest;
import dev.pvcpopulators.registry.Platform;
import dev.pvcpopulators.volume.VolumeRequest;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ImageStackTest {
  private static final String REFERENCE = "registry.example/app:1";

  private static LayersRequest request() throws Exception {
    LayersSettings settings =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(LayersSettings.class)
            .withDefaultValue("image-to-qcow2-layers.image", REFERENCE)
            .build()
            .getConfigMapping(LayersSettings.class);
    return LayersRequest.of(settings, VolumeRequest.empty());
  }

  private static Image image() {
    Blobs blobs = new Blobs();
    LayerSource layer = blobs.plain(new byte[1024]);
    ImageConfig config =
        new ImageConfig(
            Platform.parse("linux/amd64"),
            List.of(layer.diffId()),
            List.of(),
            Map.of(),
            List.of(),
            List.of(),
            "",
            "",
            List.of(),
            List.of(),
            "");
    Manifest manifest =
        new Manifest(
            "application/vnd.oci.image.manifest.v1+json",
            "",
            blobs.descriptor("{}".getBytes(UTF_8), "application/vnd.oci.image.config.v1+json"),
            List.of(layer.descriptor()),
            Map.of());
    return new Image(
        REFERENCE,
        Blobs.digest("manifest".getBytes(UTF_8)),
        Optional.empty(),
        manifest,
        Optional.of(config));
  }

  private static MadeImage made(String claim) throws Exception {
    LayersRequest asked = request();
    return ImageStack.of(image(), asked).made(asked, new ClaimName(claim), Optional.empty());
  }

  /// The files for KubeVirt contain the name of the PersistentVolumeClaim. The disks do not contain
  /// this name.
  @Test
  void anotherClaimNameMeansTheSameDisksAndOtherFiles() throws Exception {
    MadeImage one = made("one");
    assertEquals(one, made("one"));
    MadeImage other = made("other");
    assertTrue(other.sameDisks(one));
    assertNotEquals(one.boot(), other.boot());
  }
}
