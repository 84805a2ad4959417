package dev.pvcpopulators.it.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.IscsiLun;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.StreamLaunch;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks that a service restarts, and that its LUN can be read, while the cache volume has no free
/// space.
@Tag("tools")
final class FullCacheTest {
  private static final long VOLUME_LENGTH = 48L << 20;
  private static final int DISK_LENGTH = 8 << 20;
  private static final int BLOCK = 4096;

  @Test
  void lunsAreReadWithoutFreeSpace(@TempDir Path work) throws IOException, InterruptedException {
    byte[] bytes = new byte[DISK_LENGTH];
    Seed.of("FullCacheTest").random().nextBytes(bytes);
    Path disk = Files.write(work.resolve("disk.raw"), bytes);
    try (Registry registry = Registry.open(work.resolve("registry"));
        Ext4Volume volume = Ext4Volume.of(work, "cache", VOLUME_LENGTH)) {
      registry.push(
          ImageLayout.containerDisk(work, "layout", Family.OCI, Packing.GZIP, disk),
          ImageLayout.LATEST,
          "disk:latest");
      StreamLaunch launch =
          StreamLaunch.on(volume.directory().path())
              .image(registry.image("disk:latest"))
              .with("COPY_MODE", "copy-on-write")
              .with("READY", "complete");
      IscsiLun lun;
      try (Service service = launch.start()) {
        lun = StreamLaunch.put(service);
        lun.io("write -P 7 0 4k", "flush").ok();
      }
      Path ballast = volume.directory().path().resolve("ballast");
      fill(ballast);
      assertTrue(volume.settledUsable() < BLOCK, "the volume is full");
      try (Service service = launch.start()) {
        assertEquals(lun, StreamLaunch.put(service));
        lun.io("read -P 7 0 4k", "read 4k 4M").ok();
        assertNotEquals(0, lun.io("write -P 9 4M 1M", "flush").status());
        lun.io("read -P 7 0 4k").ok();
      }
      Files.delete(ballast);
      try (Service service = launch.start()) {
        assertEquals(lun, StreamLaunch.put(service));
        lun.io("write -P 9 4M 1M", "flush", "read -P 9 4M 1M", "read -P 7 0 4k").ok();
      }
    }
  }

  private static void fill(Path file) throws IOException {
    byte[] block = new byte[BLOCK];
    block[0] = 1;
    boolean full = false;
    try (OutputStream out = Files.newOutputStream(file)) {
      while (!full) {
        try {
          out.write(block);
        } catch (IOException e) {
          full = String.valueOf(e.getMessage()).contains("No space left");
          if (!full) {
            throw e;
          }
        }
      }
    }
  }
}
