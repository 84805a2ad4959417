package dev.pvcpopulators.it.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.Strace;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.LyingRegistry;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks LUNs during a pull: early reads, failed pulls, a killed service, and flushes.
@Tag("tools")
final class StreamPullTest {
  private static final int DATA = 48 << 20;
  private static final long MAX_RESIDENT = 256L << 20;
  private static final Seed SEED = Seed.of("StreamPullTest");

  /// The number of bytes that pass the valve before the test opens the valve. These bytes contain
  /// the beginning of the disk.
  private static final long HEAD = 16L << 20;

  private static final String NAME = "half:latest";

  private static Path work;
  private static Path disk;
  private static ImageLayout layout;
  private static Content layer;
  private static Registry registry;

  @BeforeAll
  static void makeImage(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    disk = directory.resolve("disk.raw");
    byte[] bytes = new byte[DATA];
    Random random = SEED.random();
    random.nextBytes(bytes);
    Files.write(disk, bytes);
    layout = ImageLayout.containerDisk(directory, "layout", Family.OCI, Packing.GZIP_STORED, disk);
    layer = layout.layers(ImageLayout.LATEST).getFirst();
    registry = Registry.open(directory.resolve("registry"));
    registry.push(layout, ImageLayout.LATEST, NAME);
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  private static StreamLaunch launch(String name, Valve valve) throws IOException {
    return StreamLaunch.on(Files.createDirectory(work.resolve(name))).image(valve.image(NAME));
  }

  /// Reads from a disk of 10 GiB while at most a quarter of its layer has arrived.
  @Test
  void theFirstReadDoesNotWaitForThePull(@TempDir Path place)
      throws IOException, InterruptedException {
    Path raw = place.resolve("large.raw");
    Path large = place.resolve("large.qcow2");
    QemuImg.create(raw, "raw", "", "10G");
    QemuIo.run(
        raw, "raw", List.of("write -q -s " + disk + " 0 48M", "write -q -s " + disk + " 8G 48M"));
    QemuImg.run("convert", "-f", "raw", "-O", "qcow2", raw.toString(), large.toString());
    ImageLayout made =
        ImageLayout.containerDisk(place, "layout", Family.OCI, Packing.GZIP_STORED, large);
    registry.push(made, ImageLayout.LATEST, "large:latest");
    long size = made.layers(ImageLayout.LATEST).getFirst().size();
    try (Valve valve = Valve.before(registry.port()).only(size / 4);
        Service service =
            StreamLaunch.on(Files.createDirectory(place.resolve("cache")))
                .image(valve.image("large:latest"))
                .start()) {
      long begin = System.nanoTime();
      IscsiLun lun = StreamLaunch.put(service);
      long answered = System.nanoTime();
      lun.io("read 0 4k").ok();
      System.out.println(
          "StreamPullTest: PUT "
              + Duration.ofNanos(answered - begin).toMillis()
              + " ms, first read "
              + Duration.ofNanos(System.nanoTime() - answered).toMillis()
              + " ms");
      assertTrue(lun.info().contains("10 GiB"), lun::toString);
      assertTrue(valve.passed() < size, "the pull cannot be complete");
      valve.open();
      lun.assertHas(large, "qcow2");
      long resident = service.peakResidentBytes();
      assertTrue(resident < MAX_RESIDENT, () -> "peak resident set " + resident);
    }
  }

  @Test
  void aReadWaitsForItsBytes() throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port()).only(HEAD);
        Service service = launch("waits", valve).start()) {
      IscsiLun lun = StreamLaunch.put(service);
      try (IscsiSession reader = IscsiSession.of(lun)) {
        Thread opening = Thread.startVirtualThread(() -> openOnceWaiting(service, valve));
        reader.run("read -q 40M 1M");
        opening.join();
        lun.assertHas(disk, "raw");
      }
    }
  }

  private static void openOnceWaiting(Service service, Valve valve) {
    try {
      service.await(
          "a read that waits",
          () -> {
            JsonNode status = service.status();
            return status.toString().contains("\"waiting\":1")
                ? Optional.of(status)
                : Optional.empty();
          });
      valve.open();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /// The connection to the registry breaks, and new connections to the registry fail. A read of
  /// data that has arrived succeeds. A read of missing data waits until the registry is available
  /// again.
  @Test
  @Tag("nightly")
  void aPullThatWasCutRecovers() throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port()).only(HEAD);
        Service service = launch("cut", valve).with("RETRIES", "2").start()) {
      IscsiLun lun = StreamLaunch.put(service);
      lun.io("read 0 4k").ok();
      valve.awaitPassed(HEAD);
      valve.breakOff();
      service.await(
          "a broken pull",
          () ->
              service.status().toString().contains("\"state\":\"waiting\"")
                  ? Optional.of(lun)
                  : Optional.empty());
      lun.io("read 0 4k").ok();
      try (IscsiSession reader = IscsiSession.of(lun)) {
        Thread opening = Thread.startVirtualThread(() -> openOnceWaiting(service, valve));
        reader.run("read -q 40M 4k");
        opening.join();
      }
      assertEquals(lun, StreamLaunch.put(service));
      lun.assertHas(disk, "raw");
    }
  }

  /// The service gives up a pull that makes no progress. After that, reads of missing data fail,
  /// and reads of data that has arrived succeed. The next process continues the pull.
  @Test
  @Tag("nightly")
  void aPullThatWasGivenUpContinuesAfterARestart() throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port()).only(HEAD)) {
      StreamLaunch launch =
          launch("given-up", valve).with("RETRIES", "1").with("GIVE_UP_AFTER", "0s");
      IscsiLun lun;
      try (Service service = launch.start()) {
        lun = StreamLaunch.put(service);
        valve.awaitPassed(HEAD);
        valve.breakOff();
        IscsiLun failing = lun;
        service.await(
            "the end of the pull",
            () ->
                service.status().toString().contains("\"state\":\"failed\"")
                    ? Optional.of(failing)
                    : Optional.empty());
        Command.Ran read = lun.io("read 40M 4k");
        assertTrue(read.toString().contains("Input/output error"), read::toString);
        lun.io("read 0 4k").ok();
      }
      valve.open();
      try (Service service = launch.start()) {
        assertEquals(lun, StreamLaunch.put(service));
        lun.assertHas(disk, "raw");
      }
    }
  }

  /// The service is killed during a pull. The next process requests only the missing bytes.
  @Test
  @Tag("nightly")
  void aServiceThatDiedContinuesItsPull() throws IOException, InterruptedException {
    try (Valve valve = Valve.before(registry.port()).only(layer.size() * 6 / 10)) {
      StreamLaunch launch = launch("died", valve);
      IscsiLun lun;
      try (Service service = launch.start()) {
        lun = StreamLaunch.put(service);
        valve.awaitHolding();
        long expected = layer.size() * 59 / 100;
        service.await(
            "a log of " + expected + " bytes",
            () -> logged("died") >= expected ? Optional.of(expected) : Optional.empty());
        service.kill();
      }
      long before = valve.passed();
      valve.open();
      try (Service service = launch.start()) {
        assertEquals(lun, StreamLaunch.put(service));
        lun.assertHas(disk, "raw");
      }
      double requested = (valve.passed() - before) / (double) layer.size();
      assertTrue(requested <= 0.42, () -> "requested after 60 %: " + requested);
    }
  }

  private static long logged(String name) throws IOException {
    try (Stream<Path> all = Files.walk(work.resolve(name))) {
      return all.filter(it -> it.toString().contains("/layers/"))
          .mapToLong(it -> it.toFile().length())
          .sum();
    }
  }

  /// Data that was written and flushed during the pull survives a SIGKILL.
  @Test
  @Tag("nightly")
  void flushMeansFlushedInTheMiddleOfAPull() throws IOException, InterruptedException {
    for (String mode : List.of("none", "copy-on-write")) {
      try (Valve valve = Valve.before(registry.port()).only(HEAD)) {
        StreamLaunch launch = launch("flush-" + mode, valve).with("COPY_MODE", mode);
        IscsiLun lun;
        try (Service service = launch.start()) {
          lun = StreamLaunch.put(service);
          try (IscsiSession writer = IscsiSession.of(lun)) {
            writer.run("write -P 17 1M 128k"); // This part of the image may have arrived.
            writer.run("write -P 18 44M 128k"); // This part of the image cannot have arrived.
            writer.run("flush");
            service.kill();
            writer.kill();
          }
        }
        valve.open();
        try (Service service = launch.start()) {
          assertEquals(lun, StreamLaunch.put(service));
          lun.io("read -P 17 1M 128k", "read -P 18 44M 128k").ok();
        }
      }
    }
  }

  /// Data that was written and flushed to a LUN with a complete image survives a SIGKILL.
  @Test
  void flushMeansFlushed() throws IOException, InterruptedException {
    List<String> modes = List.of("none", "copy-on-write", "copy-on-read", "clone");
    for (String mode : modes.subList(0, Rounds.of(2, modes.size()))) {
      try (Valve valve = Valve.before(registry.port())) {
        StreamLaunch launch =
            launch("flushed-" + mode, valve).with("COPY_MODE", mode).with("READY", "complete");
        IscsiLun lun;
        try (Service service = launch.start()) {
          lun = StreamLaunch.put(service);
          try (IscsiSession writer = IscsiSession.of(lun)) {
            writer.run("write -P 17 1M 128k");
            writer.run("flush");
            service.kill();
            writer.kill();
          }
        }
        registry.forget();
        try (Service service = launch.start()) {
          assertEquals(lun, StreamLaunch.put(service));
          lun.io("read -P 17 1M 128k").ok();
          assertEquals(0, registry.gets(layer), "requests for a layer that is complete");
        }
      }
    }
  }

  /// The service answers a flush only after a system call that writes the data to storage.
  @Test
  @Tag("nightly")
  void aFlushReachesTheSystem() throws IOException, InterruptedException {
    for (String mode : List.of("none", "copy-on-write")) {
      Path trace = work.resolve("trace-" + mode);
      try (Valve valve = Valve.before(registry.port())) {
        StreamLaunch launch =
            launch("traced-" + mode, valve).with("COPY_MODE", mode).with("READY", "complete");
        Path cache = work.resolve("traced-" + mode).toRealPath();
        try (Service service = launch.launch().under(Strace.syncing(trace)).start();
            IscsiSession writer = IscsiSession.of(StreamLaunch.put(service))) {
          writer.run("write -P 17 1M 128k");
          long before = Strace.synced(trace, cache);
          writer.run("flush");
          assertTrue(Strace.synced(trace, cache) > before, "no system call that writes to storage");
        }
      }
    }
  }

  /// The pulled bytes do not match the digest. The LUN fails, and does not recover.
  @Test
  void aLunOfAForgedLayerFails() throws IOException, InterruptedException {
    // The layer is uncompressed. In a compressed layer, the checksum of the compressed format would
    // also detect the change.
    ImageLayout plain = ImageLayout.containerDisk(work, "plain", Family.OCI, Packing.NONE, disk);
    Content layer = plain.layers(ImageLayout.LATEST).getFirst();
    byte[] forged = Files.readAllBytes(plain.path(layer));
    forged[forged.length / 2] ^= 1;
    try (LyingRegistry liar = LyingRegistry.of(plain)) {
      liar.lies(layer.digest(), LyingRegistry.bytes(layer.mediaType(), forged));
      StreamLaunch launch =
          StreamLaunch.on(Files.createDirectory(work.resolve("forged")))
              .image(liar.image(ImageLayout.LATEST))
              .with("RETRIES", "1");
      try (Service service = launch.start()) {
        IscsiLun lun = StreamLaunch.put(service);
        service.await(
            "the failure",
            () -> lun.io("read 0 4k").status() == 0 ? Optional.empty() : Optional.of(lun));
        assertNotEquals(0, lun.io("read 44M 4k").status(), "a read of unverified data");
      }
      StreamLaunch verifying =
          StreamLaunch.on(Files.createDirectory(work.resolve("forged-verifying")))
              .image(liar.image(ImageLayout.LATEST))
              .with("RETRIES", "1")
              .with("VERIFY_BEFORE_EXPORT", "true");
      try (Service service = verifying.start()) {
        StreamLaunch.tryPut(service, "").expect(422).problem();
      }
    }
  }
}
