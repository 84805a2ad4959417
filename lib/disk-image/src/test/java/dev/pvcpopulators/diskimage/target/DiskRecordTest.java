package dev.pvcpopulators.diskimage.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ImageFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a file system has room for, and what other programs read of it.
class DiskRecordTest {
  private static final int MIB = 1 << 20;

  /// From 512 MiB on, ext4 has blocks of 4 KiB.
  private static final long SIZE = 600L * MIB;

  private static final String DIGEST = "sha256:" + "c".repeat(64);

  @TempDir Path temporary;

  private static PublishedDisk publish(VolumeTarget volume, Origin origin) throws IOException {
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS.withOverwrite(true))) {
      writer.write(0, new byte[] {1}, 0, 1);
      return writer.publish(origin, ImageFormat.QCOW2);
    }
  }

  private static String attributes(Path disk) throws IOException {
    return Command.run("getfattr", "--absolute-names", "-d", disk.toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  void longestTextFindsRoomEverywhere(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, SIZE)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      // With 256 characters of digest more than what lies in the inode of ext4.
      Origin origin =
          new Origin("d".repeat(256), "s".repeat(Origin.MAX_TEXT), "p".repeat(Origin.MAX_TEXT));
      PublishedDisk disk = publish(volume, origin);
      DiskRecord expected = new DiskRecord(origin, ImageFormat.QCOW2, 1);
      assertEquals(expected, disk.record());
      assertEquals(Optional.of(expected), volume.recorded());
      for (String name : new String[] {"source", "selection"}) {
        String value =
            Command.run(
                "getfattr",
                "--absolute-names",
                "--only-values",
                "-n",
                "user.pvc-populators." + name,
                disk.path().toString());
        assertEquals(name.equals("source") ? origin.source() : origin.selection(), value);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS"})
  void recordWithoutRoomIsAbsentAsAWhole(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, SIZE)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      // Three bytes a character: twice what ext4 has for the attributes of one file.
      String wide = "€".repeat(Origin.MAX_TEXT);
      PublishedDisk disk = publish(volume, new Origin(DIGEST, wide, wide));
      assertEquals(1, Files.readAllBytes(disk.path())[0]);
      if (kind == MountedFileSystem.Kind.EXT4) {
        assertEquals("", attributes(disk.path()));
        assertEquals(Optional.empty(), volume.recorded());
      } else {
        assertEquals(Optional.of(disk.record()), volume.recorded());
      }
      Origin next = new Origin(DIGEST, "docker://example.org/disk:1", "path=/disk/*;format=auto");
      publish(volume, next);
      assertEquals(Optional.of(new DiskRecord(next, ImageFormat.QCOW2, 1)), volume.recorded());
    }
  }

  @Test
  void recordOfEarlierVersionsHasNeitherSourceNorSelection() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    Path disk = Files.writeString(temporary.resolve("disk.img"), "x");
    Command.run("setfattr", "-n", "user.pvc-populators.source-digest", "-v", DIGEST, disk + "");
    Command.run("setfattr", "-n", "user.pvc-populators.format", "-v", "qcow2", disk.toString());
    Command.run("setfattr", "-n", "user.pvc-populators.virtual-size", "-v", "7", disk.toString());
    assertEquals(
        Optional.of(new DiskRecord(DIGEST, "", "", ImageFormat.QCOW2, 7)), volume.recorded());
  }

  @Test
  void textLongerThanAnyOfOursIsNoRecord() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    PublishedDisk disk = publish(volume, Origin.digest(DIGEST));
    assertTrue(volume.recorded().isPresent());
    Command.run(
        "setfattr",
        "-n",
        "user.pvc-populators.source",
        "-v",
        "s".repeat(Origin.MAX_TEXT + 1),
        disk.path().toString());
    assertEquals(Optional.empty(), volume.recorded());
  }

  @Test
  void partsOfAnOriginHaveBothSidesOfTheirLimits() {
    String digest = "d".repeat(Origin.MAX_DIGEST);
    String text = "t".repeat(Origin.MAX_TEXT);
    assertEquals(digest, new Origin(digest, text, text).sourceDigest());
    assertThrows(IllegalArgumentException.class, () -> Origin.digest(digest + "d"));
    assertThrows(IllegalArgumentException.class, () -> new Origin("", text + "t", ""));
    assertThrows(IllegalArgumentException.class, () -> new Origin("", "", text + "t"));
    assertThrows(
        IllegalArgumentException.class,
        () -> new DiskRecord("", "", text + "t", ImageFormat.RAW, 0));
    assertThrows(
        IllegalArgumentException.class, () -> new DiskRecord("", "", "", ImageFormat.RAW, -1));
  }
}
