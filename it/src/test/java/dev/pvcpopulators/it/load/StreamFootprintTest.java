package dev.pvcpopulators.it.load;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Family;
import dev.pvcpopulators.it.ImageLayout;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.Packing;
import dev.pvcpopulators.it.Registry;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.Valve;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The cost of many initiators at once. `run.sh` sets 128 MiB of heap and 64 MiB outside of it.
@Tag("tools")
final class StreamFootprintTest {
  private static final long MAX_RESIDENT = 256L << 20;
  private static final int SESSIONS = 24;
  private static final int SILENT = 1000;
  private static final int LENGTH = 64 << 20;
  private static final int LUNS = 5;
  private static final int PULLED = 48 << 20;
  private static final int OUTAGES = 12;
  private static final int FAILURES = 200;
  private static final int FAILED_LENGTH = 8 << 20;
  private static final long VALVE_RATE = 8L << 20;
  private static final Seed SEED = Seed.of("StreamFootprintTest");

  /// With reading and writing sessions and silent connections other initiators are served, and
  /// memory is bounded.
  @Test
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
          long resident = service.peakResidentBytes();
          System.out.println("StreamFootprintTest: peak resident set " + (resident >> 20) + " MiB");
          assertTrue(resident < MAX_RESIDENT, () -> "peak resident set " + resident);
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

  /// Five images are pulled at once from a slow registry, and read while they arrive.
  @Test
  void fiveLunsPulledAtOnce(@TempDir Path work) throws Exception {
    Packing[] packings = {Packing.ZSTD, Packing.GZIP};
    try (Registry registry = Registry.open(work.resolve("registry"));
        Valve valve = Valve.before(registry.port()).rate(VALVE_RATE)) {
      StreamLaunch launch =
          StreamLaunch.on(Files.createDirectory(work.resolve("cache")))
              .with("ARRIVAL_TIMEOUT", "5m");
      for (int i = 0; i < LUNS; i++) {
        Path place = Files.createDirectory(work.resolve("source-" + i));
        byte[] bytes = new byte[PULLED];
        SEED.random(i).nextBytes(bytes);
        Path disk = Files.write(place.resolve("disk.raw"), bytes);
        ImageLayout layout =
            ImageLayout.containerDisk(
                place, "layout", Family.OCI, packings[i % packings.length], disk);
        String name = "disk-" + i + ":latest";
        registry.push(layout, ImageLayout.LATEST, name);
        launch = launch.image(i, valve.image(name));
      }
      try (Service service = launch.start()) {
        IscsiLun first = StreamLaunch.put(service);
        List<Callable<Void>> readers = new ArrayList<>();
        for (int i = 0; i < LUNS; i++) {
          IscsiLun lun = first.lun(i);
          Path disk = work.resolve("source-" + i).resolve("disk.raw");
          readers.add(() -> {
            lun.assertHas(disk, "raw");
            return null;
          });
        }
        run(readers);
        assertPeak(service, "five LUNs");
      }
    }
  }

  /// The registry is gone in the middle of two pulls, comes back, and cuts connections again and
  /// again.
  @Test
  @Tag("nightly")
  void twoLunsDuringOutagesOfTheRegistry(@TempDir Path work) throws Exception {
    Random random = SEED.random();
    try (Registry registry = Registry.open(work.resolve("registry"));
        Valve valve = Valve.before(registry.port())) {
      StreamLaunch launch =
          StreamLaunch.on(Files.createDirectory(work.resolve("cache")))
              .with("ARRIVAL_TIMEOUT", "5m")
              .with("RETRIES", "100");
      List<Path> disks = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Path place = Files.createDirectory(work.resolve("source-" + i));
        byte[] bytes = new byte[LENGTH];
        random.nextBytes(bytes);
        disks.add(Files.write(place.resolve("disk.raw"), bytes));
        String name = "outage-" + i + ":latest";
        registry.push(
            ImageLayout.containerDisk(place, "layout", Family.OCI, Packing.GZIP, disks.get(i)),
            ImageLayout.LATEST,
            name);
        launch = launch.image(i, valve.image(name));
      }
      try (Service service = launch.start()) {
        IscsiLun first = StreamLaunch.put(service);
        List<Callable<Void>> parts = new ArrayList<>();
        parts.add(() -> {
          for (int i = 0; i < OUTAGES; i++) {
            valve.only(LENGTH / OUTAGES);
            valve.awaitHolding();
            valve.cut(Valve.Cut.RESET, 1 + i % 3);
          }
          valve.open();
          return null;
        });
        for (int i = 0; i < 2; i++) {
          IscsiLun lun = first.lun(i);
          Path disk = disks.get(i);
          parts.add(() -> {
            lun.assertHas(disk, "raw");
            return null;
          });
        }
        run(parts);
        assertPeak(service, "two LUNs, " + OUTAGES + " outages");
      }
    }
  }

  /// One process meets hundreds of pulls that end in an error; their memory is released.
  @Test
  @Tag("nightly")
  void hundredsOfPullsThatFail(@TempDir Path work) throws Exception {
    byte[] bytes = new byte[FAILED_LENGTH];
    SEED.random().nextBytes(bytes);
    Path disk = Files.write(work.resolve("disk.raw"), bytes);
    try (Registry registry = Registry.open(work.resolve("registry"));
        Valve valve = Valve.before(registry.port())) {
      ImageLayout layout =
          ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, disk);
      registry.push(layout, ImageLayout.LATEST, "failed:latest");
      StreamLaunch launch =
          StreamLaunch.on(Files.createDirectory(work.resolve("cache")))
              .image(valve.image("failed:latest"))
              .with("READY", "complete")
              .with("RETRIES", "0");
      try (Service service = launch.start()) {
        Random random = SEED.random(1);
        for (int i = 0; i < FAILURES; i++) {
          valve.only(random.nextLong(FAILED_LENGTH));
          Thread cut = Thread.startVirtualThread(() -> breakOffWhereItHolds(valve));
          StreamLaunch.tryPut(service, "").expect(502);
          cut.join();
          valve.open();
        }
        StreamLaunch.put(service).assertHas(disk, "raw");
        assertPeak(service, FAILURES + " failed pulls");
      }
    }
  }

  private static void breakOffWhereItHolds(Valve valve) {
    try {
      valve.awaitHolding();
      valve.breakOff();
    } catch (InterruptedException e) {
      throw new AssertionError(e); // nothing interrupts it
    }
  }

  private static void assertPeak(Service service, String what) throws IOException {
    long resident = service.peakResidentBytes();
    System.out.println("StreamFootprintTest: " + what + ", peak " + (resident >> 20) + " MiB");
    assertTrue(resident < MAX_RESIDENT, () -> what + ": peak resident set " + resident);
  }

  /// Each session writes its own range, and reads it and the whole disk.
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
