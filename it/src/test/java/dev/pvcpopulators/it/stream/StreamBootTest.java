package dev.pvcpopulators.it.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.guest.BootDisk;
import dev.pvcpopulators.it.guest.Guest;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Checks that a virtual machine boots from a raw disk during the pull of the disk, and writes to
/// the disk. In `make test`, `StreamArrivalTest` boots a virtual machine from a qcow2 image.
@Tag("nightly")
final class StreamBootTest {
  private static final long LENGTH = 128L << 20;

  /// The number of bytes at the end of the layer that a [Valve] holds back until the guest has
  /// written to the disk.
  private static final long HELD = 40L << 20;

  private static final long RATE = 40L << 20;
  private static final Seed SEED = Seed.of("StreamBootTest");

  private static Path work;
  private static BootDisk disk;
  private static Registry registry;

  @BeforeAll
  static void make(@TempDir Path directory) throws IOException, InterruptedException {
    work = directory;
    disk = BootDisk.make(directory, LENGTH, SEED.random());
    registry = Registry.open(directory.resolve("registry"));
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  /// The service can pull ranges of an uncompressed layer out of order, but not ranges of a
  /// compressed layer.
  @ParameterizedTest
  @EnumSource(names = {"NONE", "GZIP_STORED"})
  void bootsBeforeThePullIsComplete(Packing packing) throws IOException, InterruptedException {
    String name = "boot-" + packing.name().toLowerCase(java.util.Locale.ROOT);
    ImageLayout layout = ImageLayout.containerDisk(work, name, Family.OCI, packing, disk.image());
    long size = layout.layers(ImageLayout.LATEST).getFirst().size();
    registry.push(layout, ImageLayout.LATEST, name + ":latest");
    try (Valve valve = Valve.before(registry.port()).rate(RATE).only(size - HELD);
        Service service =
            StreamLaunch.on(Files.createDirectory(work.resolve(name + ".cache")))
                .image(valve.image(name + ":latest"))
                .with("ACCESS_MODE", "write-shared")
                .start()) {
      IscsiLun lun = StreamLaunch.put(service);
      try (Guest guest = Guest.fromDisk(work, lun.url())) {
        disk.awaitBooted(guest);
        guest.await(BootDisk.WRITTEN);
        assertTrue(valve.passed() <= size - HELD, "the pull cannot be complete");
        JsonNode status = service.status();
        assertTrue(status.path("bytesIn").asLong() < size, status::toString);
      }
      valve.open();
      service.await(
          "the end of the pull",
          () ->
              service.status().path("bytesIn").asLong() >= size
                  ? Optional.of(size)
                  : Optional.empty());
      assertWritten(lun);
    }
  }

  /// Checks the data of the LUN. Blocks that the guest has written contain the guest's data. All
  /// other blocks contain the image's data.
  private static void assertWritten(IscsiLun lun) throws IOException {
    byte[] pattern = new byte[(int) BootDisk.PATTERN_LENGTH];
    Arrays.fill(pattern, (byte) BootDisk.PATTERN);
    Path expected = work.resolve("expected");
    Files.copy(disk.image(), expected);
    try (FileChannel channel = FileChannel.open(expected, StandardOpenOption.WRITE)) {
      assertEquals(
          pattern.length, channel.write(ByteBuffer.wrap(pattern), BootDisk.PATTERN_OFFSET));
    }
    lun.assertHas(expected, "raw");
    Files.delete(expected);
  }
}
