package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Tests the size limits of disk records, the values that other programs read, and the check
/// whether a disk has changed since its publication.
class DiskRecordTest {
  private static final int MIB = 1 << 20;

  /// The size of the file systems. From 512 MiB on, mkfs.ext4 makes blocks of 4 KiB.
  private static final long SIZE = 600L * MIB;

  private static final String DIGEST = "sha256:" + "c".repeat(64);

  @TempDir Path temporary;

  private static PublishedDisk publish(VolumeTarget volume, Origin origin) throws IOException {
    try (VolumeWriter writer = volume.open(Overwriting.OPTIONS)) {
      writer.write(0, new byte[] {1}, 0, 1);
      return writer.publish(origin, ImageFormat.QCOW2);
    }
  }

  private static String attributes(Path disk) throws IOException {
    return Command.run("getfattr", "--absolute-names", "-d", disk.toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void longestTextFindsRoomEverywhere(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, SIZE)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      // With a digest of 256 characters, the record does not fit into an ext4 inode.
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
  @Tag("tools")
  void recordWithoutRoomIsAbsentAsAWhole(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, SIZE)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      // In UTF-8, a `€` has three bytes. The source and the selection need more space than ext4 has
      // for the attributes of a file.
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
  @Tag("tools")
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
  @Tag("tools")
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

  private static DiskCheck check(VolumeTarget volume) throws IOException {
    return volume.check(true, new Cancellation()).orElseThrow();
  }

  private static void publishWithDigest(VolumeTarget volume) throws IOException {
    WriteOptions options =
        new WriteOptions(true, false, Preallocation.NONE, Optional.empty(), true);
    try (VolumeWriter writer = volume.open(options)) {
      writer.expect(5L * MIB);
      writer.write(3L * MIB, new byte[] {1, 2}, 0, 2);
      writer.publish(Origin.digest(DIGEST), ImageFormat.QCOW2);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void writesSincePublicationAreFound(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, SIZE)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      Path disk = mounted.root().resolve("disk.img");
      publishWithDigest(volume);
      DiskCheck fresh = check(volume);
      assertTrue(fresh.unchanged());
      assertTrue(fresh.same().contains(DiskCheck.Property.CONTENT), fresh::toString);
      FileTime written = Files.getLastModifiedTime(disk);

      Command.run(
          "dd",
          "if=/dev/zero",
          "of=" + disk,
          "bs=1",
          "seek=3145728",
          "count=1",
          "conv=notrunc,fsync",
          "status=none");
      DiskCheck changed = check(volume);
      assertFalse(changed.unchanged());
      assertEquals(
          EnumSet.of(DiskCheck.Property.MTIME, DiskCheck.Property.CONTENT),
          without(changed.different(), DiskCheck.Property.CTIME));

      Files.setLastModifiedTime(disk, written);
      assertFalse(check(volume).unchanged(), "only the bytes tell it");
      assertTrue(
          volume.check(false, new Cancellation()).orElseThrow().unchanged(),
          "the limit of what the record alone finds");
    }
  }

  @Test
  @Tag("tools")
  void anotherFileWithTheRecordIsFoundByItsNumber() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    publishWithDigest(volume);
    Path disk = temporary.resolve("disk.img");
    Path copy = temporary.resolve("copy");
    Command.run("cp", "--preserve=all", disk.toString(), copy.toString());
    Files.move(copy, disk, StandardCopyOption.REPLACE_EXISTING);
    DiskCheck check = volume.check(false, new Cancellation()).orElseThrow();
    assertTrue(check.different().contains(DiskCheck.Property.INODE), check::toString);
    assertFalse(check.unchanged());
    assertTrue(check(volume).unchanged(), "its bytes are the same");
  }

  /// If a pod has an `fsGroup`, the kubelet gives this group to the files of the volume.
  @Test
  @Tag("tools")
  void anotherGroupIsNoChangeOfTheDisk() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    publishWithDigest(volume);
    Command.run("chgrp", "107", temporary.resolve("disk.img").toString());
    assertTrue(volume.check(false, new Cancellation()).orElseThrow().unchanged());
  }

  /// If a disk is moved to thin storage or trimmed, its digest must not change.
  @Test
  @Tag("tools")
  void holesAndZerosHaveOneDigest() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    publishWithDigest(volume);
    Path disk = temporary.resolve("disk.img");
    Command.run("fallocate", "--length", "1M", "--zero-range", disk.toString());
    Command.run(
        "dd",
        "if=/dev/zero",
        "of=" + disk,
        "bs=1M",
        "seek=1",
        "count=1",
        "conv=notrunc",
        "status=none");
    assertTrue(check(volume).same().contains(DiskCheck.Property.CONTENT));
  }

  @Test
  @Tag("tools")
  void stateThatIsNotOursIsNone() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    publishWithDigest(volume);
    Path disk = temporary.resolve("disk.img");
    for (String text :
        new String[] {
          "", "inode=1", "inode=-- size=1 mtime=-.000000000 ctime=1.000000000", "x".repeat(200)
        }) {
      Command.run("setfattr", "-n", "user.pvc-populators.state", "-v", text, disk.toString());
      DiskCheck check = check(volume);
      assertEquals(Set.of(), check.same());
      assertEquals(Set.of(), check.different());
      assertFalse(check.unchanged());
    }
  }

  private static Set<DiskCheck.Property> without(
      Set<DiskCheck.Property> properties, DiskCheck.Property one) {
    Set<DiskCheck.Property> rest = EnumSet.copyOf(properties);
    rest.remove(one);
    return rest;
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
