package dev.pvcpopulators.it.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Http;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that one process with its usual memory serves 200 iSCSI sessions (80 in `make test`).
///
/// `-Dpvc.it.crowd=N` multiplies the number of sessions.
@Tag("tools")
final class StreamCrowdTest {
  private static final int SESSIONS = Rounds.of(80, 200) * Integer.getInteger("pvc.it.crowd", 1);
  private static final int LENGTH = 2 << 20;
  private static final long MAX_RESIDENT = 320L << 20;
  private static final int FIRST_TIMES = 8;
  private static final Seed SEED = Seed.of("StreamCrowdTest");

  /// All sessions read the whole disk and get identical bytes. After that, all sessions write.
  @Test
  void hundredsOfSessionsReadAndWrite(@TempDir Path work) throws Exception {
    byte[] bytes = new byte[LENGTH];
    SEED.random().nextBytes(bytes);
    Path disk = Files.write(work.resolve("disk.raw"), bytes);
    ImageLayout layout =
        ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP_STORED, disk);
    try (Registry registry = Registry.open(work.resolve("registry"))) {
      registry.push(layout, ImageLayout.LATEST, "disk:latest");
      StreamLaunch launch =
          StreamLaunch.on(Files.createDirectory(work.resolve("cache")))
              .shipped()
              .image(registry.image("disk:latest"))
              .with("ACCESS_MODE", "write-shared")
              .with("COPY_MODE", "copy-on-write")
              .with("MAX_SESSIONS", Integer.toString(SESSIONS + 1));
      try (Service service = launch.start()) {
        IscsiLun lun = StreamLaunch.put(service);
        lun.assertHas(disk, "raw");
        Http http = service.http();
        awaitSessions(service, http, 0);
        ProcessResources before = ProcessResources.by(service);
        readTogether(service, http, lun, disk);
        awaitSessions(service, http, 0);
        writeTogether(service, http, lun);
        awaitSessions(service, http, 0);
        service.await(
            "the end of all connections",
            () ->
                Optional.of(ProcessResources.by(service))
                    .filter(now -> now.descriptors() <= before.descriptors() + FIRST_TIMES));
        long resident = service.peakResidentBytes();
        System.out.println("StreamCrowdTest: peak resident set " + (resident >> 20) + " MiB");
        assertTrue(resident < MAX_RESIDENT, () -> "peak resident set " + resident);
      }
    }
  }

  private static void readTogether(Service service, Http http, IscsiLun lun, Path disk)
      throws Exception {
    double before = CrowdTest.metric(http, "iscsi_read_bytes_total");
    try (IscsiSession crowd = IscsiSession.of(quorum(lun, disk), true);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      awaitSessions(service, http, SESSIONS);
      Future<?> reading =
          threads.submit(() -> {
            crowd.run("read 0 " + LENGTH);
            return null;
          });
      lun.assertHas(disk, "raw");
      reading.get();
      awaitSessions(service, http, SESSIONS);
    }
    double read = CrowdTest.metric(http, "iscsi_read_bytes_total") - before;
    assertTrue(read >= (SESSIONS + 1.0) * LENGTH, () -> "read " + read);
  }

  /// Writes the whole disk through all sessions at the same time, and reads the data back.
  private static void writeTogether(Service service, Http http, IscsiLun lun) throws Exception {
    try (IscsiSession crowd = IscsiSession.of(quorum(lun, SESSIONS), false)) {
      awaitSessions(service, http, SESSIONS);
      int pattern = 1 + SEED.random().nextInt(255);
      crowd.run("write -P " + pattern + " 0 " + LENGTH);
      crowd.run("read -P " + pattern + " 0 " + LENGTH);
      try (IscsiSession another = IscsiSession.reading(lun)) {
        another.run("read -P " + pattern + " 0 " + LENGTH);
      }
    }
  }

  private static void awaitSessions(Service service, Http http, int count)
      throws IOException, InterruptedException {
    double found =
        service.await(
            count + " sessions",
            () -> Optional.of(CrowdTest.metric(http, "iscsi_sessions")).filter(it -> it == count));
    assertEquals(count, found);
  }

  /// Returns options for QEMU's quorum driver. Each session is a child of the driver, and the
  /// disk's file is the last child. The driver reads and writes all children at the same time. A
  /// read succeeds only if all children have the same content.
  private static String quorum(IscsiLun lun, Path disk) {
    String file = ",children." + SESSIONS + ".";
    return quorum(lun, SESSIONS + 1)
        + file
        + "driver=raw"
        + file
        + "file.driver=file"
        + file
        + "file.filename="
        + disk;
  }

  private static String quorum(IscsiLun lun, int votes) {
    StringBuilder quorum = new StringBuilder("driver=quorum,vote-threshold=" + votes);
    for (int i = 0; i < SESSIONS; i++) {
      String child = ",children." + i + ".";
      quorum.append(child).append(lun.as(IscsiLun.INITIATOR + i).options().replace(",", child));
    }
    return quorum.toString();
  }
}
