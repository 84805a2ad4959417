package dev.pvcpopulators.it.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Content;
import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.disk.Ext4Volume;
import dev.pvcpopulators.it.disk.LoopDevice;
import dev.pvcpopulators.it.disk.QemuImg;
import dev.pvcpopulators.it.disk.QemuIo;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import dev.pvcpopulators.it.image.Family;
import dev.pvcpopulators.it.image.ImageLayout;
import dev.pvcpopulators.it.image.Packing;
import dev.pvcpopulators.it.image.Registry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Copies qcow2 images that have L1 or L2 tables after their data. Two operations put tables after
/// the data: a resize with `qemu-img resize`, and a write to the disk after a snapshot.
@Tag("tools")
final class CopyLateTablesTest {
  private static final long FILE_SYSTEM_LENGTH = 1L << 30;
  private static final long DEVICE_LENGTH = 640L << 20;
  private static final double MAX_WRITTEN = 2;

  /// The number of writes. In `make test`, the writes have a total length of about 37 MiB. The
  /// decoder keeps only 16 MiB in memory.
  private static final int WRITES = Rounds.of(75, 150);

  private static final int LONGEST = 1 << 20;
  private static final Seed SEED = Seed.of("CopyLateTablesTest");

  /// An operation that produces an image with tables after its data.
  enum Late {
    RESIZED {
      @Override
      void make(Path image, Random random) throws IOException, InterruptedException {
        QemuImg.create(image, "qcow2", "", "500M");
        guestWrites(image, random, 500L << 20);
        // For a disk of 500 MiB, the L1 table needs one entry. For 600 MiB, it needs two entries.
        QemuImg.run("resize", "-q", image.toString(), "600M");
        QemuIo.run(image, "qcow2", List.of("write -q -P 9 580M 1M"));
      }
    },
    RESIZED_SMALL_CLUSTERS {
      @Override
      void make(Path image, Random random) throws IOException, InterruptedException {
        QemuImg.create(image, "qcow2", "cluster_size=4k", "300M");
        guestWrites(image, random, 300L << 20);
        QemuImg.run("resize", "-q", image.toString(), "600M");
        QemuIo.run(image, "qcow2", List.of("write -q -P 9 580M 1M"));
      }
    },
    SNAPSHOT {
      @Override
      void make(Path image, Random random) throws IOException, InterruptedException {
        QemuImg.create(image, "qcow2", "", "600M");
        guestWrites(image, random, 600L << 20);
        QemuImg.run("snapshot", "-c", "before", image.toString());
        guestWrites(image, random, 600L << 20);
      }
    };

    abstract void make(Path image, Random random) throws IOException, InterruptedException;
  }

  private static final Map<Late, Content> layers = new EnumMap<>(Late.class);

  private static Path shared;
  private static Registry registry;

  @TempDir private Path work = Path.of("");

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException, InterruptedException {
    shared = directory;
    registry = Registry.open(directory.resolve("registry"));
    for (Late late : lates()) {
      late.make(image(late), SEED.random(late.name().hashCode()));
      ImageLayout layout =
          ImageLayout.containerDisk(directory, late.name(), Family.OCI, Packing.GZIP, image(late));
      registry.push(layout, ImageLayout.LATEST, name(late));
      layers.put(late, layout.layers(ImageLayout.LATEST).getFirst());
      QemuImg.toRaw(image(late), "qcow2", raw(late));
    }
  }

  /// Returns the operations to test. `make test` tests only [Late#RESIZED].
  static List<Late> lates() {
    return List.of(Late.values()).subList(0, Rounds.of(1, Late.values().length));
  }

  @AfterAll
  static void stop() {
    registry.close();
  }

  @ParameterizedTest
  @MethodSource("lates")
  @Tag("nightly")
  void onAFileSystemWithoutReflinks(Late late) throws IOException, InterruptedException {
    try (Ext4Volume volume = Ext4Volume.of(work, "ext4", FILE_SYSTEM_LENGTH)) {
      onAFileSystem(late, volume.directory());
    }
  }

  @ParameterizedTest
  @MethodSource("lates")
  void onAFileSystemWithReflinks(Late late) throws IOException, InterruptedException {
    try (XfsVolume volume = XfsVolume.of(work, "xfs", FILE_SYSTEM_LENGTH)) {
      onAFileSystem(late, volume.directory());
    }
  }

  private void onAFileSystem(Late late, VolumeDirectory volume)
      throws IOException, InterruptedException {
    registry.forget();
    CopyOutcome outcome = CopyJob.onto(volume.path(), work).from(registry, name(late)).run().ok();
    assertWritten(outcome, VolumeDirectory.allocated(volume.disk()));
    volume.assertOneDisk();
    QemuImg.assertIdentical(image(late), "qcow2", volume.disk());
    assertEquals(1, registry.gets(layer(late)), "requests for the layer");
  }

  /// For a block device, the Job does not stage data, but pulls the layer a second time. No old
  /// data remains within the length of the disk.
  @ParameterizedTest
  @MethodSource("lates")
  void onABlockDevice(Late late) throws IOException, InterruptedException {
    try (LoopDevice device = LoopDevice.full(work.resolve("device"), DEVICE_LENGTH)) {
      registry.forget();
      CopyOutcome outcome =
          CopyJob.onto(device.device(), work)
              .from(registry, name(late))
              .with("POPULATOR_OVERWRITE", "true")
              .run()
              .ok();
      assertWritten(outcome, VolumeDirectory.allocated(raw(late)));
      assertTrue(registry.gets(layer(late)) > 1, "requests for the layer");
      long length = Files.size(raw(late));
      Command.run(
          "cmp", "-n", Long.toString(length), raw(late).toString(), device.device().toString());
    }
  }

  private static void assertWritten(CopyOutcome outcome, long allocated) {
    System.out.println(
        "CopyLateTablesTest: written " + outcome.writtenBytes() + " of " + allocated);
    assertTrue(outcome.writtenBytes() <= MAX_WRITTEN * allocated, outcome::toString);
  }

  private static Path image(Late late) {
    return shared.resolve(late.name() + ".qcow2");
  }

  private static Path raw(Late late) {
    return shared.resolve(late.name() + ".raw");
  }

  private static Content layer(Late late) {
    Content layer = layers.get(late);
    if (layer == null) {
      throw new AssertionError("No layer for " + late);
    }
    return layer;
  }

  private static String name(Late late) {
    return "late:" + late.name();
  }

  private static void guestWrites(Path image, Random random, long length)
      throws IOException, InterruptedException {
    Path content = QemuIo.incompressible(image.resolveSibling("content"), random);
    QemuIo.run(image, "qcow2", QemuIo.onlyWrites(random, content, length, WRITES, LONGEST));
  }
}
