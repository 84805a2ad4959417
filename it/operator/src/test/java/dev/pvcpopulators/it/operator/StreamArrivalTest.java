package dev.pvcpopulators.it.operator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.guest.BootDisk;
import dev.pvcpopulators.it.guest.Guest;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/// Checks that a claim of class `disk-stream` is bound before a tenth of its image has arrived.
/// Also checks that a guest boots from the volume before the image is complete. In `make nightly`,
/// the size of the disk is 10 GiB, and 1 GiB of the disk is incompressible data.
@Tag("tools")
@ExtendWith(SharedCluster.class)
@ResourceLock(value = SharedCluster.OPERATOR, mode = ResourceAccessMode.READ)
@ResourceLock(Images.THROTTLED)
final class StreamArrivalTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final long LENGTH = (long) MEBIBYTE * Rounds.of(256, 10 << 10);
  private static final long DATA = (long) MEBIBYTE * Rounds.of(128, 1 << 10);

  /// The valve's rate limit in bytes per second.
  private static final long RATE = 40L * MEBIBYTE;

  /// The valve holds back this number of bytes at the end of the image until the guest has ended.
  /// In `make test`, these bytes contain the blocks to which the guest writes. Therefore these
  /// blocks arrive after the guest's write.
  private static final long HELD = (long) MEBIBYTE * Rounds.of(40, 16);

  /// The port of the container's HTTPS server.
  private static final int PORT = 8443;

  private static final String QCOW2 = "qcow2";
  private static final String NAME = "boot:1";
  private static final Seed SEED = Seed.of("StreamArrivalTest");

  @AfterEach
  void open(Cluster cluster) {
    cluster.images().throttled().open();
  }

  @Test
  void bindsAndBootsBeforeTheImageIsComplete(Cluster cluster, @TempDir Path work)
      throws IOException, InterruptedException {
    BootDisk disk = BootDisk.make(work, DATA, SEED.random());
    Path image = qcow2(disk, work.resolve("boot.qcow2"));
    ImageLayout layout = ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.NONE, image);
    cluster.images().push(layout, NAME);
    long size = layout.layers(ImageLayout.LATEST).getFirst().size();
    Valve valve = cluster.images().throttled().rate(RATE).only(size / 20);
    Tenant tenant = Tenant.in(cluster, "stream-arrival");
    tenant.image(Map.of("registry", Map.of("image", valve.address() + "/" + NAME)));
    try (ServiceAddresses _ = ServiceAddresses.of(tenant)) {
      StreamClaim claim =
          StreamClaim.create(tenant, Tenant.CLAIM, "ReadWriteOnce", Long.toString(LENGTH));
      Dynamic stream = claim.stream();
      awaitBoundEarly(claim, size);
      valve.only(size - HELD - size / 20);
      try (Guest guest = Guest.fromDisk(work, claim.lun().url())) {
        disk.awaitBooted(guest);
        guest.await(BootDisk.WRITTEN);
        long arrived = arrived(stream);
        System.out.printf("StreamArrivalTest: %s had arrived at boot%n", part(arrived, size));
        assertTrue(arrived < size, "the image cannot be complete");
        guest.awaitEnd();
      }
      valve.open();
      Waiting.untilTrue("the end of the pull", () -> arrived(stream) >= size);
      assertHolds(claim.lun(), image);
      claim.delete();
      stream.awaitGone();
    }
  }

  /// Creates a larger qcow2 image from a boot disk. The image has data at its end, so that a
  /// truncated copy differs from the image.
  private static Path qcow2(BootDisk disk, Path image) throws IOException, InterruptedException {
    Command.run("truncate", "-s", LENGTH, disk.image());
    QemuImg.run("convert", "-f", "raw", "-O", QCOW2, disk.image().toString(), image.toString());
    Files.delete(disk.image());
    QemuIo.run(image, QCOW2, List.of("write -P 0x5a %d 1M".formatted(LENGTH - MEBIBYTE)));
    return image;
  }

  private static void awaitBoundEarly(StreamClaim claim, long size) throws InterruptedException {
    Dynamic stream = claim.stream();
    Waiting.untilTrue("the startup probe of the stream's pod", () -> started(stream));
    long ready = System.nanoTime();
    claim.awaitBound();
    Duration took = Duration.ofNanos(System.nanoTime() - ready);
    long arrived = arrived(stream);
    System.out.printf(
        "StreamArrivalTest: %d MiB, Bound %d ms after the pod was ready, when %s had arrived%n",
        LENGTH / MEBIBYTE, took.toMillis(), part(arrived, size));
    assertTrue(arrived < size / 10, () -> "arrived: " + arrived);
  }

  /// Returns whether the pod's startup probe succeeds. Sends the same request as a kubelet. The
  /// tests' node sends no probes, and reports a pod as ready at the start of its process.
  private static boolean started(Dynamic stream) {
    if (stream.found().isEmpty()
        || stream.pods().stream().noneMatch(pod -> "Running".equals(pod.getStatus().getPhase()))) {
      return false;
    }
    String address = stream.pods().getFirst().getStatus().getPodIP();
    return Command.of("curl", "-skf", "-o", "/dev/null")
            .with("https://%s:%d/q/health/started".formatted(address, PORT))
            .tried()
            .status()
        == 0;
  }

  /// Returns the number of the image's bytes that the stream's service has received.
  private static long arrived(Dynamic stream) {
    return stream.containerStatus(PORT).path("bytesIn").asLong();
  }

  private static String part(long bytes, long all) {
    return "%.1f %% of %d MiB".formatted(100.0 * bytes / all, all / MEBIBYTE);
  }

  /// Checks that the disk contains the image's data and the guest's write.
  private static void assertHolds(IscsiLun lun, Path image)
      throws IOException, InterruptedException {
    Path expected = image.resolveSibling("expected.qcow2");
    QemuImg.run(
        "create", "-q", "-f", QCOW2, "-F", QCOW2, "-b", image.toString(), expected.toString());
    String write =
        "write -P %d %d %d"
            .formatted(BootDisk.PATTERN, BootDisk.PATTERN_OFFSET, BootDisk.PATTERN_LENGTH);
    QemuIo.run(expected, QCOW2, List.of(write));
    lun.assertHas(expected, QCOW2);
  }
}
