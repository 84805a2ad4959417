package dev.pvcpopulators.it.load;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Family;
import dev.pvcpopulators.it.ImageLayout;
import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.IscsiSession;
import dev.pvcpopulators.it.Packing;
import dev.pvcpopulators.it.Registry;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.Valve;
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
  private static final int PULLED = Rounds.of(16, 48) << 20;
  private static final long VALVE_RATE = 8L << 20;
  private static final Seed SEED = Seed.of("StreamFootprintTest");

  /// Other initiators are served beside reading and writing sessions and silent connections, and
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
        long resident = service.peakResidentBytes();
        System.out.println("StreamFootprintTest: five LUNs, peak " + (resident >> 20) + " MiB");
        assertTrue(resident < MAX_RESIDENT, () -> "peak resident set " + resident);
      }
    }
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
