package dev.pvcpopulators.registrystreamiscsi.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.registrystreamiscsi.fixture.DiskLayout;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests which LUNs share a copy of an image, and from which source the bytes of that copy came.
final class ImageCacheTest {
  private static final int MINUTES = 5;
  private static final int HEADERS = 16;

  @TempDir Path work;
  private HeldRegistry genuine;
  private HeldRegistry other;
  private VolumeImages images;
  private ImagePull.Environment environment;
  private RegistryStreamIscsiSettings settings;

  @BeforeEach
  void begin() throws IOException, InterruptedException {
    DiskLayout.makeOfDemo(work.resolve("layout"));
    genuine = new HeldRegistry(work.resolve("layout"));
    other = new HeldRegistry(work.resolve("layout"));
    settings =
        new SmallRyeConfigBuilder()
            .addDiscoveredConverters()
            .withMapping(RegistryStreamIscsiSettings.class)
            .withDefaultValue(
                "registry-stream-iscsi.insecure-registries",
                genuine.address() + "," + other.address())
            .build()
            .getConfigMapping(RegistryStreamIscsiSettings.class);
    environment =
        new ImagePull.Environment(
            new RegistryAccess(settings, "REGISTRY_STREAM_ISCSI_"),
            new Semaphore(HEADERS),
            new Semaphore(settings.maxPulls()),
            1L << 40,
            settings.giveUpAfter(),
            _ -> {},
            _ -> {},
            _ -> {});
    images = new VolumeImages(environment, work.resolve("images"), false);
  }

  @AfterEach
  void end() throws InterruptedException {
    genuine.close();
    other.close();
    images.cancel();
    images.close();
    // A cancelled pull may write to the directory until it gives back its permit.
    environment.headers().acquire(HEADERS);
    environment.slots().acquire(settings.maxPulls());
    environment.headers().release(HEADERS);
    environment.slots().release(settings.maxPulls());
  }

  private CachedImage obtain(String image) throws IOException, VolumeException {
    LunRequest request =
        LunRequest.of(
            settings, new VolumeRequest(JsonNodeFactory.instance.objectNode().put("image", image)));
    return images.obtain(request.disk());
  }

  private static void awaitComplete(CachedImage image)
      throws InterruptedException, ExecutionException, TimeoutException {
    var _ = image.completed().get(MINUTES, TimeUnit.MINUTES);
  }

  @Test
  void anUnfinishedPullIsForItsOwnRegistryOnly() throws Exception {
    other.tampers(true);
    other.hold();
    CachedImage tampered = obtain(other.image("vms/disk"));
    CachedImage trusted = obtain(genuine.image("vms/disk"));
    assertNotSame(tampered, trusted);
    awaitComplete(trusted);
    assertEquals(1, genuine.pulled().size());
    other.release();
    assertThrows(ExecutionException.class, () -> awaitComplete(tampered));
    assertEquals(CachedImage.State.COMPLETE, trusted.state());
    other.tampers(false);
    awaitComplete(obtain(other.image("vms/disk")));
  }

  @Test
  void anUnfinishedPullIsForItsOwnRepositoryOnly() throws Exception {
    genuine.hold();
    CachedImage one = obtain(genuine.image("one/disk"));
    assertSame(one, obtain(genuine.image("one/disk")));
    assertNotSame(one, obtain(genuine.image("two/disk")));
  }

  @Test
  void aCompleteImageIsSharedWithClientsThatMayReadItsLayers() throws Exception {
    CachedImage one = obtain(genuine.image("one/disk"));
    awaitComplete(one);
    assertSame(one, obtain(genuine.image("two/disk")));
    assertEquals(1, genuine.pulled().size());
    genuine.without("/thief/");
    assertNotSame(one, obtain(genuine.image("thief/disk")));
  }

  /// As many pulls as may run at once are held in the middle of their layers.
  @Test
  void anImageOpensWhileOthersArePulled() throws Exception {
    other.hold();
    for (int i = 0; i < settings.maxPulls(); i++) {
      var _ = obtain(other.image("slow/disk-" + i)).opened().get(MINUTES, TimeUnit.MINUTES);
    }
    CachedImage quick = obtain(genuine.image("quick/disk"));
    var _ = quick.opened().get(MINUTES, TimeUnit.MINUTES);
    assertEquals(CachedImage.State.PULLING, quick.state());
    other.release();
    awaitComplete(quick);
  }

  /// Another registry can claim to have any blob.
  @Test
  void anotherRegistryConfirmsNothing() throws Exception {
    CachedImage one = obtain(genuine.image("one/disk"));
    awaitComplete(one);
    CachedImage copy = obtain(other.image("one/disk"));
    assertNotSame(one, copy);
    awaitComplete(copy);
    assertEquals(1, other.pulled().size());
  }
}
