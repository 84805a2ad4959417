package dev.pvcpopulators.it.load;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.Valve;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks the memory of a service with many initiators, with several pulls at the same time, and
/// after faults of a registry. `run.sh` limits the JVM's heap to 128 MiB, and the JVM's direct
/// buffers to 96 MiB.
@Tag("tools")
final class StreamFootprintTest {
  private static final long MAX_RESIDENT = 256L << 20;
  private static final int SESSIONS = 24;
  private static final int SILENT = 1000;
  private static final int LENGTH = Rounds.of(48, 64) << 20;
  private static final int LUNS = 5;
  private static final int PULLED = 48 << 20;
  private static final int FAULTY = 16 << 20;
  private static final int ROUNDS = 200;
  private static final long VALVE_RATE = 8L << 20;
  private static final Seed SEED = Seed.of("StreamFootprintTest");

  /// All initiators read and write while many other connections send nothing.
  @Test
  @Tag("nightly")
  void manyInitiators(@TempDir Path work) throws Exception {
    Path disk = work.resolve("disk.raw");
    byte[] bytes = new byte[LENGTH];
    Random random = SEED.random();
    random.nextBytes(bytes);
    Files.write(disk, bytes);
    ImageLayout layout =
        ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP_STORED, disk);
    try (Registry registry = Registry.open(work.resolve("registry"))) {
      registry.push(layout, ImageLayout.LATEST, "disk:latest");
      StreamLaunch launch =
          StreamLaunch.on(Files.createDirectory(work.resolve("cache")))
              .shipped()
              .image(registry.image("disk:latest"))
              .with("ACCESS_MODE", "write-shared")
              .with("COPY_MODE", "copy-on-write");
      try (Service service = launch.start()) {
        IscsiLun lun = StreamLaunch.put(service);
        List<Socket> silent = new ArrayList<>();
        List<IscsiSession> sessions = new ArrayList<>();
        try {
          for (int i = 0; i < SILENT; i++) {
            silent.add(new Socket(InetAddress.getLoopbackAddress(), lun.port()));
          }
          for (int i = 0; i < SESSIONS; i++) {
            sessions.add(IscsiSession.of(lun.as(IscsiLun.INITIATOR + i)));
          }
          allAtOnce(sessions, random);
          assertBounded(service, SESSIONS + " initiators");
        } finally {
          for (Socket socket : silent) {
            socket.close();
          }
          for (IscsiSession session : sessions) {
            session.close();
          }
        }
      }
    }
  }

  /// The service pulls five images at the same time from a slow registry. Initiators read the LUNs
  /// while the bytes arrive.
  @Test
  @Tag("nightly")
  void fiveLunsPulledAtOnce(@TempDir Path work) throws Exception {
    try (Registry registry = Registry.open(work.resolve("registry"));
        Valve valve = Valve.before(registry.port()).rate(VALVE_RATE)) {
      Luns luns = Luns.of(work, registry, PULLED, Collections.nCopies(LUNS, valve));
      try (Service service = luns.launch().with("ARRIVAL_TIMEOUT", "5m").start()) {
        run(luns.readers(StreamLaunch.put(service)));
        assertBounded(service, "five LUNs");
      }
    }
  }

  /// The connections to the registry break during two pulls, while initiators read the two LUNs.
  /// The pulls wait, and continue after the outage.
  @Test
  @Tag("nightly")
  void twoLunsOverAnOutage(@TempDir Path work) throws Exception {
    try (Registry registry = Registry.open(work.resolve("registry"));
        Valve one = Valve.before(registry.port()).only(PULLED / 2);
        Valve other = Valve.before(registry.port()).only(PULLED / 2)) {
      List<Valve> valves = List.of(one, other);
      Luns luns = Luns.of(work, registry, PULLED, valves);
      try (Service service = luns.launch().with("RETRIES", "2").start()) {
        List<Callable<Void>> parts = luns.readers(StreamLaunch.put(service));
        parts.add(() -> {
          for (Valve valve : valves) {
            valve.awaitHolding();
            valve.breakOff();
          }
          service.await(
              "two broken pulls",
              () -> Optional.of(service.status()).filter(StreamFootprintTest::bothWait));
          valves.forEach(Valve::open);
          return null;
        });
        run(parts);
        assertBounded(service, "two LUNs over an outage");
      }
    }
  }

  private static boolean bothWait(JsonNode status) {
    JsonNode luns = status.path("details").path("luns");
    return luns.path(0).path("state").asText().equals("waiting")
        && luns.path(1).path("state").asText().equals("waiting");
  }

  /// Creates and deletes a volume with two LUNs 200 times. In each round, the connections to the
  /// registry are reset at a random byte. In every tenth round, the test reads both disks
  /// completely before the deletion.
  @Test
  @Tag("nightly")
  void twoHundredRoundsOfFaults(@TempDir Path work) throws Exception {
    try (Registry registry = Registry.open(work.resolve("registry"));
        Valve one = Valve.before(registry.port());
        Valve other = Valve.before(registry.port());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Valve> valves = List.of(one, other);
      Luns luns = Luns.of(work, registry, FAULTY, valves);
      Random random = SEED.random();
      try (Service service = luns.launch().start()) {
        for (int round = 1; round <= ROUNDS; round++) {
          for (Valve valve : valves) {
            valve.only(1 + random.nextInt(FAULTY));
          }
          Future<IscsiLun> made = threads.submit(() -> StreamLaunch.put(service));
          for (Valve valve : valves) {
            valve.awaitHolding();
            valve.cut(Valve.Cut.RESET, 0);
            valve.open();
          }
          IscsiLun first = made.get();
          if (round % 10 == 0) {
            run(luns.readers(first));
          }
          service.http().delete("/volume").expect(204);
        }
        assertBounded(service, ROUNDS + " rounds of faults");
      }
    }
  }

  /// LUNs with incompressible disks.
  ///
  /// @param disks the files with the expected content, one for each LUN
  private record Luns(StreamLaunch launch, List<Path> disks) {
    private static final List<Packing> PACKINGS = List.of(Packing.ZSTD, Packing.GZIP);

    /// Pushes one image per valve, and configures a service to pull the images through the valves.
    ///
    /// @param length the length of each disk in bytes
    static Luns of(Path work, Registry registry, int length, List<Valve> valves)
        throws IOException, InterruptedException {
      List<Path> disks = new ArrayList<>();
      StreamLaunch launch = StreamLaunch.on(Files.createDirectory(work.resolve("cache"))).shipped();
      for (int i = 0; i < valves.size(); i++) {
        Path place = Files.createDirectory(work.resolve("source-" + i));
        byte[] bytes = new byte[length];
        SEED.random(i).nextBytes(bytes);
        Path disk = Files.write(place.resolve("disk.raw"), bytes);
        disks.add(disk);
        Packing packing = PACKINGS.get(i % PACKINGS.size());
        ImageLayout layout = ImageLayout.containerDisk(place, "layout", Family.OCI, packing, disk);
        String name = "disk-" + i + ":latest";
        registry.push(layout, ImageLayout.LATEST, name);
        launch = launch.image(i, valves.get(i).image(name));
      }
      return new Luns(launch, disks);
    }

    /// Returns one task per LUN. Each task compares its LUN with the expected disk.
    List<Callable<Void>> readers(IscsiLun first) {
      List<Callable<Void>> readers = new ArrayList<>();
      for (int i = 0; i < disks.size(); i++) {
        IscsiLun lun = first.lun(i);
        Path disk = disks.get(i);
        readers.add(() -> {
          lun.assertHas(disk, "raw");
          return null;
        });
      }
      return readers;
    }
  }

  private static void assertBounded(Service service, String what) throws IOException {
    long resident = service.peakResidentBytes();
    System.out.println("StreamFootprintTest: " + what + ", peak " + (resident >> 20) + " MiB");
    assertTrue(resident < MAX_RESIDENT, () -> what + ": peak resident set " + resident);
  }

  /// In each session, writes a separate range, and reads this range and the whole disk. All
  /// sessions run at the same time.
  private static void allAtOnce(List<IscsiSession> sessions, Random random)
      throws InterruptedException, ExecutionException {
    List<Callable<Void>> parts = new ArrayList<>();
    for (int i = 0; i < sessions.size(); i++) {
      IscsiSession session = sessions.get(i);
      int pattern = 1 + random.nextInt(255);
      String piece = i * 2 + "M 2M";
      parts.add(() -> {
        session.run("write -P " + pattern + " " + piece);
        session.run("read -P " + pattern + " " + piece);
        session.run("read 0 " + LENGTH);
        session.run("read -P " + pattern + " " + piece);
        return null;
      });
    }
    run(parts);
  }

  private static void run(List<Callable<Void>> parts)
      throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Void> part : threads.invokeAll(parts)) {
        part.get();
      }
    }
  }
}
