package dev.pvcpopulators.registrystreamiscsi.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pvcpopulators.kit.source.ChosenDisk;
import dev.pvcpopulators.kit.source.RegistryAccess;
import dev.pvcpopulators.registry.Image;
import dev.pvcpopulators.registry.pull.ImageSource;
import dev.pvcpopulators.registrystreamiscsi.fixture.DiskLayout;
import dev.pvcpopulators.registrystreamiscsi.settings.LunRequest;
import dev.pvcpopulators.registrystreamiscsi.settings.RegistryStreamIscsiSettings;
import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.volume.VolumeException;
import dev.pvcpopulators.volume.VolumeRequest;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests which LUNs share a copy of an image, and from which source the copy comes.
final class ImageCacheTest {
  private static final int MINUTES = 5;
  private static final int HEADERS = 16;

  @TempDir Path work;
  private HeldRegistry genuine;
  private HeldRegistry other;
  private VolumeImages images;
  private ImagePull.Environment environment;
  private RegistryStreamIscsiSettings settings;
  private final LongAdder total = new LongAdder();
  private final LongAdder received = new LongAdder();
  private LongConsumer written = _ -> {};

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
            .withDefaultValue("registry-stream-iscsi.image", "oci-archive:" + archive())
            .build()
            .getConfigMapping(RegistryStreamIscsiSettings.class);
    environment =
        new ImagePull.Environment(
            new RegistryAccess(settings, "REGISTRY_STREAM_ISCSI_"),
            new Semaphore(HEADERS),
            new Semaphore(settings.maxPulls()),
            1L << 40,
            settings.giveUpAfter(),
            total::add,
            received::add,
            bytes -> written.accept(bytes));
    images = new VolumeImages(environment, work.resolve("images"), false);
  }

  @AfterEach
  void end() throws InterruptedException {
    genuine.close();
    other.close();
    images.cancel();
    images.close();
    // Waits for cancelled pulls, because a cancelled pull may write to the directory until it
    // returns its permit.
    environment.headers().acquire(HEADERS);
    environment.slots().acquire(settings.maxPulls());
    environment.headers().release(HEADERS);
    environment.slots().release(settings.maxPulls());
  }

  private ChosenDisk disk(String image) throws VolumeException {
    LunRequest request =
        LunRequest.of(
            settings, new VolumeRequest(JsonNodeFactory.instance.objectNode().put("image", image)));
    return request.disk();
  }

  private CachedImage obtain(String image) throws IOException, VolumeException {
    return images.obtain(disk(image));
  }

  private CachedImage cached() throws IOException {
    return new CachedImage("key", Documents.directory(work.resolve("images/key")));
  }

  /// Creates a pull but does not start it.
  private ImagePull pull(CachedImage cached, ChosenDisk disk) throws IOException, VolumeException {
    ImageSource source = environment.registries().open(disk.image());
    Image image = source.resolve(disk.image().choice());
    cached.source(image.digest().toString());
    ImagePull pull = new ImagePull(cached, disk, environment, new ImagePull.Found(image, source));
    cached.pulledBy(pull);
    return pull;
  }

  private Path archive() {
    return work.resolve("layout.tar");
  }

  private void makeArchive() throws IOException, InterruptedException {
    Process tar =
        new ProcessBuilder(
                "tar",
                "-C",
                work.resolve("layout").toString(),
                "-cf",
                archive().toString(),
                "oci-layout",
                "index.json",
                "blobs")
            .inheritIO()
            .start();
    assertEquals(0, tar.waitFor(), "tar");
  }

  /// Returns the number of open descriptors of the archive in this process.
  private long openedArchives() throws IOException {
    return opened(archive());
  }

  /// Returns the number of open descriptors of a file in this process.
  private static long opened(Path file) throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(it -> leadsTo(it, file)).count();
    }
  }

  private static boolean leadsTo(Path descriptor, Path file) {
    try {
      return Files.isSameFile(descriptor, file);
    } catch (IOException _) {
      return false; // another thread closed the descriptor
    }
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

  /// One registry holds back the second half of each layer, so the maximum number of pulls wait
  /// there. The next pull, which is from another registry, stops after the disk's header and starts
  /// again later. The sums of the transferred bytes must include the bytes of this pull only once.
  @Test
  void anImageOpensWhileOthersArePulled() throws Exception {
    other.hold();
    List<CachedImage> all = new ArrayList<>();
    for (int i = 0; i < settings.maxPulls(); i++) {
      CachedImage slow = obtain(other.image("slow/disk-" + i));
      var _ = slow.opened().get(MINUTES, TimeUnit.MINUTES);
      all.add(slow);
    }
    CachedImage quick = obtain(genuine.image("quick/disk"));
    var _ = quick.opened().get(MINUTES, TimeUnit.MINUTES);
    assertEquals(CachedImage.State.PULLING, quick.state());
    all.add(quick);
    other.release();
    for (CachedImage each : all) {
      awaitComplete(each);
    }
    assertEquals(all.size() * genuine.layerSize(), total.sum());
    assertEquals(all.size() * genuine.layerSize(), received.sum());
  }

  /// A file has the name of the images' directory, so the cache cannot create the directory.
  @Test
  void aPullThatCannotBeginClosesItsSource() throws Exception {
    makeArchive();
    Files.createFile(work.resolve("images"));
    assertThrows(IOException.class, () -> obtain("oci-archive:" + archive()));
    assertEquals(0, openedArchives());
  }

  @Test
  void aPullThatIsCancelledBeforeItRunsClosesItsSource() throws Exception {
    makeArchive();
    ImagePull pull = pull(cached(), disk("oci-archive:" + archive()));
    assertEquals(1, openedArchives());
    pull.cancel();
    pull.run();
    assertEquals(0, openedArchives());
  }

  /// The cached image is closed before the pull begins. The pull fails, and must close the disk
  /// that it has opened.
  @Test
  void aPullOfAClosedImageClosesItsDisk() throws Exception {
    CachedImage cached = cached();
    cached.close();
    assertFailsAndClosesItsDisk(cached);
  }

  /// A directory has the name of the record, so the pull cannot write the record.
  @Test
  void aPullThatCannotWriteItsRecordClosesItsDisk() throws Exception {
    CachedImage cached = cached();
    Files.createDirectory(cached.directory().resolve(CachedImage.RECORD));
    assertFailsAndClosesItsDisk(cached);
  }

  private void assertFailsAndClosesItsDisk(CachedImage cached) throws Exception {
    pull(cached, disk(genuine.image("vms/disk"))).run();
    assertEquals(CachedImage.State.FAILED, cached.state());
    assertTrue(Files.exists(cached.files().disk()), "the disk");
    assertEquals(0, opened(cached.files().disk()));
    assertEquals(0, opened(cached.files().map()));
  }

  /// The image is closed during the pull, so the pull fails with an exception.
  @Test
  void aCancelledPullKeepsItsData() throws Exception {
    CachedImage cached = cached();
    written =
        _ -> {
          try {
            cached.close();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          throw new IllegalStateException("The disk is closed");
        };
    pull(cached, disk(genuine.image("vms/disk"))).run();
    assertEquals(CachedImage.State.FAILED, cached.state());
    assertTrue(Files.exists(cached.files().disk()), "the disk");
    assertTrue(Files.exists(cached.files().map()), "its map");
  }

  @Test
  void theRemovalOfAReleasedImageWaitsForItsPull() throws Exception {
    assertRemovesAfterThePull(images::release);
  }

  @Test
  void theRemovalOfAllImagesWaitsForTheirPulls() throws Exception {
    assertRemovesAfterThePull(_ -> {
      images.cancel();
      images.close();
      images.removeAll();
    });
  }

  /// Tests a removal that begins in the middle of a pull.
  private void assertRemovesAfterThePull(Removal removal) throws Exception {
    CountDownLatch pulling = new CountDownLatch(1);
    CountDownLatch held = new CountDownLatch(1);
    written =
        _ -> {
          pulling.countDown();
          awaitHeld(held);
        };
    CachedImage image = obtain(genuine.image("vms/disk"));
    pulling.await();
    FutureTask<Void> removed =
        new FutureTask<>(() -> {
          removal.remove(image);
          return null;
        });
    Thread remover = Thread.ofPlatform().start(removed);
    try {
      while (remover.getState() != Thread.State.TIMED_WAITING) {
        assertFalse(removed.isDone(), "removed before the end of the pull");
        Thread.onSpinWait();
      }
      assertTrue(Files.exists(image.directory()));
    } finally {
      held.countDown();
    }
    removed.get();
    assertTrue(image.isPullEnded());
    assertFalse(Files.exists(image.directory()));
  }

  @FunctionalInterface
  private interface Removal {
    void remove(CachedImage image) throws IOException;
  }

  private static void awaitHeld(CountDownLatch held) {
    try {
      held.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Another registry can claim to have any blob, so its answer does not prove that the caller has
  /// access.
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
