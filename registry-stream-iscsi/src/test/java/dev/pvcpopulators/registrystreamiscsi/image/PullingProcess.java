package dev.pvcpopulators.registrystreamiscsi.image;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.VolumeRequest;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// A cache that pulls one image, in the test's process or in a process that the test kills.
///
/// @param images the images of the cache
record PullingProcess(VolumeImages images, ChosenDisk disk) {
  /// Pulls until the test kills the process.
  ///
  /// @param arguments the address of the registry and the directory of the cache
  public static void main(String[] arguments) throws Exception {
    PullingProcess pulling = of(arguments[0], Path.of(arguments[1]), Duration.ofHours(1));
    var _ = pulling.images.obtain(pulling.disk).completed().get(10, TimeUnit.MINUTES);
  }

  static PullingProcess of(String registry, Path directory, Duration giveUpAfter) throws Exception {
    RegistryStreamIscsiSettings settings =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(RegistryStreamIscsiSettings.class)
            .withDefaultValue("registry-stream-iscsi.insecure-registries", registry)
            .withDefaultValue("registry-stream-iscsi.retries", "1")
            .build()
            .getConfigMapping(RegistryStreamIscsiSettings.class);
    ImagePull.Environment environment =
        new ImagePull.Environment(
            new RegistryAccess(settings, "REGISTRY_STREAM_ISCSI_"),
            new Semaphore(16),
            new Semaphore(settings.maxPulls()),
            1L << 40,
            giveUpAfter,
            _ -> {},
            _ -> {},
            _ -> {});
    VolumeImages images = new VolumeImages(environment, directory, false);
    VolumeRequest asked =
        new VolumeRequest(
            JsonNodeFactory.instance.objectNode().put("image", registry + "/vms/disk:latest"));
    return new PullingProcess(images, LunRequest.of(settings, asked).disk());
  }

  void close() {
    images.cancel();
    images.close();
  }
}
