package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.Staging;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.disk.LoopDevice;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("tools")
// Runs alone. Otherwise, a child process of another test could inherit the open device and keep the
// device busy for a moment.
@Isolated
class StagingTest {
  private static final int MIB = 1 << 20;
  private static final String DIGEST = "sha256:" + "c".repeat(64);

  @TempDir Path temporary;

  /// Returns the guest index of each cluster, in the order of host offsets.
  private static List<Long> permutation(Random random, int clusters) {
    List<Long> places = new ArrayList<>();
    for (long i = 0; i < clusters; i++) {
      places.add(i);
    }
    // Keeps runs of adjacent clusters together, as in a real image.
    List<Long> result = new ArrayList<>();
    List<List<Long>> runs = new ArrayList<>();
    int at = 0;
    while (at < clusters) {
      int end = Math.min(clusters, at + 1 + random.nextInt(20));
      runs.add(places.subList(at, end));
      at = end;
    }
    Collections.shuffle(runs, random);
    runs.forEach(result::addAll);
    return result;
  }

  /// Writes some clusters directly, stages and moves the others, and compares the disk with the
  /// model.
  private void stageAndCompare(VolumeTarget volume, int clusterSize, long seed, OptionalLong length)
      throws IOException {
    Random random = new Random(seed);
    // As in a real image, the host offsets of clusters are multiples of the cluster size. The host
    // cluster at offset 0 is for the header, so the guest's data begin at the next host cluster.
    int clusters = 12 * MIB / clusterSize;
    List<Long> guestIndex = permutation(random, clusters);
    long size = (long) clusters * clusterSize;
    WriteOptions options = Overwriting.OPTIONS;
    try (Model model = new Model(temporary.resolve("model" + clusterSize), size);
        VolumeWriter writer = volume.open(options)) {
      writer.expect(size);
      List<Integer> late = new ArrayList<>();
      for (int i = 0; i < clusters; i++) {
        long guestOffset = guestIndex.get(i) * clusterSize;
        byte[] bytes = new Model.Piece(guestOffset, clusterSize, seed + i).bytes();
        model.put(guestOffset, bytes);
        if (random.nextInt(4) == 0) {
          writer.write(guestOffset, bytes, 0, bytes.length);
        } else {
          late.add(i);
          Staging staging = writer.staging(length);
          int half = 1 + random.nextInt(clusterSize - 1);
          staging.keep((1L + i) * clusterSize, bytes, 0, half);
          staging.keep((1L + i) * clusterSize + half, bytes, half, clusterSize - half);
          if (random.nextInt(50) == 0) {
            byte[] read = new byte[clusterSize];
            staging.read((1L + i) * clusterSize, read, 0, clusterSize);
            assertArrayEquals(bytes, read);
          }
        }
      }
      Staging staging = writer.staging(length);
      move(staging, late, guestIndex, clusterSize, random);
      PublishedDisk disk = writer.publish(Origin.digest(DIGEST), ImageFormat.QCOW2);
      Command.run(
          "cmp", "-n", Long.toString(size), model.path().toString(), disk.path().toString());
    }
  }

  /// Moves staged clusters to the disk. One call of [Staging#moveToGuest] may move several clusters
  /// that are adjacent in the source and in the disk.
  private static void move(
      Staging staging, List<Integer> late, List<Long> guestIndex, int clusterSize, Random random)
      throws IOException {
    int at = 0;
    while (at < late.size()) {
      int host = late.get(at);
      int end = at + 1;
      while (end < late.size()
          && random.nextInt(8) != 0
          && late.get(end) == host + end - at
          && guestIndex.get(late.get(end)) == guestIndex.get(host) + end - at) {
        end++;
      }
      staging.moveToGuest(
          (1L + host) * clusterSize,
          guestIndex.get(host) * clusterSize,
          (long) (end - at) * clusterSize);
      at = end;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  void lateClustersFindTheirPlaceInAFile(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 400L * MIB)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      for (int clusterSize : new int[] {512, 4096, 65536, 2 * MIB}) {
        long seed = System.nanoTime();
        System.out.println("lateClusters " + kind + " " + clusterSize + " seed " + seed);
        stageAndCompare(volume, clusterSize, seed, OptionalLong.empty());
        try (var files = Files.list(mounted.root())) {
          assertEquals(
              1, files.filter(f -> f.getFileName().toString().contains("disk.img")).count());
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lateClustersFindTheirPlaceOnADevice(boolean unmapping) throws IOException {
    MountedFileSystem.Kind kind =
        unmapping ? MountedFileSystem.Kind.TMPFS : MountedFileSystem.Kind.RAMFS;
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 64L * MIB)) {
      Path backing = mounted.root().resolve("backing");
      writeStale(backing, 40L * MIB + 512);
      try (LoopDevice loop = LoopDevice.over(backing)) {
        VolumeTarget volume = VolumeTarget.of(loop.device());
        for (int clusterSize : new int[] {512, 65536, 2 * MIB}) {
          long seed = System.nanoTime();
          System.out.println("lateClusters " + kind + " device " + clusterSize + " seed " + seed);
          OptionalLong length =
              clusterSize == 65536
                  ? OptionalLong.empty()
                  : OptionalLong.of(12L * MIB + clusterSize);
          stageAndCompare(volume, clusterSize, seed, length);
          try (Model zeros = new Model(temporary.resolve("zeros"), 40L * MIB + 512)) {
            String offset = Long.toString(12L * MIB);
            Command.run("cmp", "-i", offset, zeros.path().toString(), loop.device().toString());
          }
          writeStale(loop.device(), 40L * MIB + 512);
        }
      }
    }
  }

  private static void writeStale(Path path, long size) throws IOException {
    byte[] bytes = new byte[MIB];
    Arrays.fill(bytes, (byte) 0xAA);
    try (OutputStream out = Files.newOutputStream(path)) {
      for (long left = size; left > 0; left -= MIB) {
        out.write(bytes, 0, (int) Math.min(MIB, left));
      }
    }
  }

  @Test
  void guestBytesMayNotLieWhereADeviceStages() throws IOException {
    try (MountedFileSystem mounted =
        MountedFileSystem.make(MountedFileSystem.Kind.TMPFS, 64L * MIB)) {
      Path backing = mounted.root().resolve("backing");
      writeStale(backing, 20L * MIB);
      try (LoopDevice loop = LoopDevice.over(backing)) {
        VolumeTarget volume = VolumeTarget.of(loop.device());
        WriteOptions options = Overwriting.OPTIONS;
        byte[] bytes = new byte[4096];
        Arrays.fill(bytes, (byte) 1);
        try (VolumeWriter writer = volume.open(options)) {
          writer.expect(20L * MIB);
          Staging staging = writer.staging(OptionalLong.of(5L * MIB));
          staging.keep(5L * MIB - 4096, bytes, 0, 4096);
          assertThrows(
              UnsupportedFeatureException.class, () -> staging.keep(5L * MIB, bytes, 0, 1));
          writer.write(15L * MIB - 4096, bytes, 0, 4096);
          assertThrows(
              UnsupportedFeatureException.class,
              () -> writer.write(15L * MIB - 4095, bytes, 0, 4096));
          assertThrows(
              UnsupportedFeatureException.class,
              () -> staging.moveToGuest(5L * MIB - 4096, 16L * MIB, 4096));
        }
        try (VolumeWriter writer = volume.open(options)) {
          writer.write(15L * MIB, bytes, 0, 1);
          assertThrows(
              UnsupportedFeatureException.class, () -> writer.staging(OptionalLong.of(5L * MIB)));
        }
        try (VolumeWriter writer = volume.open(options)) {
          UnsupportedFeatureException e =
              assertThrows(
                  UnsupportedFeatureException.class,
                  () -> writer.staging(OptionalLong.of(19L * MIB + 1)));
          assertTrue(
              String.valueOf(e.getMessage()).contains("qemu-img convert"),
              String.valueOf(e.getMessage()));
          writer.staging(OptionalLong.of(19L * MIB));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  void movingNeedsSpaceForOneImageAndAWindow(MountedFileSystem.Kind kind) throws IOException {
    // The test stages and moves 230 MiB. The volume has no space for two copies of this data.
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 400L * MIB)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      byte[] bytes = new byte[MIB];
      new Random(1).nextBytes(bytes);
      long size = 230L * MIB;
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        writer.expect(size);
        Staging staging = writer.staging(OptionalLong.of(size));
        for (long at = 0; at < size; at += MIB) {
          staging.keep(at, bytes, 0, MIB);
        }
        for (long at = 0; at < size; at += MIB) {
          staging.moveToGuest(at, size - MIB - at, MIB);
        }
        PublishedDisk disk = writer.publish(Origin.digest(DIGEST), ImageFormat.QCOW2);
        assertTrue(Math.abs(disk.allocated() - size) <= MIB, "allocated " + disk.allocated());
        if (kind == MountedFileSystem.Kind.XFS) {
          assertEquals(0, writer.bytesWritten(), "blocks are shared instead of copied");
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "TMPFS"})
  void stagingThatFillsTheVolumeLeavesNothing(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 64L * MIB)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      long before = mounted.free();
      byte[] bytes = new byte[MIB];
      new Random(1).nextBytes(bytes);
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        writer.expect(10L * MIB);
        Staging staging = writer.staging(OptionalLong.empty());
        ExceedsVolumeException e =
            assertThrows(
                ExceedsVolumeException.class,
                () -> {
                  for (long at = 0; ; at += MIB) {
                    staging.keep(at, bytes, 0, MIB);
                  }
                });
        assertTrue(e.full());
      }
      mounted.awaitFree(before - 65536);
    }
  }
}
