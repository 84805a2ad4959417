package dev.pvcpopulators.diskimage.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.diskimage.ExceedsVolumeException;
import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.linux.NativeFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class DirectoryVolumeTest {
  private static final int MIB = 1 << 20;
  private static final String DIGEST = "sha256:" + "a".repeat(64);

  @TempDir Path temporary;

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void writesPiecesInAnyOrderAsTheModelHasThem(MountedFileSystem.Kind kind) throws IOException {
    long seed = System.nanoTime();
    System.out.println("writesPiecesInAnyOrder " + kind + " seed " + seed);
    Random random = new Random(seed);
    // The length of a disk's file is rounded up to a multiple of 1 MiB. About half of the random
    // sizes need no rounding.
    long size = 48L * MIB + (random.nextBoolean() ? 0 : 512L * random.nextInt(4096));
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 400L * MIB);
        Model model = new Model(temporary.resolve("model"), size)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      PublishedDisk disk;
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        writer.expect(size);
        // Writes long pieces to the first 44 MiB, and small pieces after them.
        List<Model.Piece> pieces = Model.pieces(random, 0, 44L * MIB, 512, 3 * MIB);
        pieces.addAll(Model.pieces(random, 44L * MIB, 46L * MIB, 512, 512));
        pieces.addAll(Model.pieces(random, 46L * MIB, size, 1, 10_000));
        for (Model.Piece piece : pieces) {
          byte[] bytes = piece.bytes();
          model.put(piece.offset(), bytes);
          writer.write(piece.offset(), bytes, 0, bytes.length);
        }
        disk = writer.publish(Origin.digest(DIGEST), ImageFormat.QCOW2);
      }
      model.extend(disk.size());
      assertEquals(Sizes.ceil(size, MIB), disk.size());
      Command.run("cmp", model.path().toString(), disk.path().toString());
      assertAllocatedLikeQemu(model.path(), disk, mounted);
      assertEquals(
          Optional.of(new DiskRecord(DIGEST, "", "", ImageFormat.QCOW2, size)), volume.recorded());
    }
  }

  private static void assertAllocatedLikeQemu(
      Path model, PublishedDisk disk, MountedFileSystem mounted) throws IOException {
    Path reference = mounted.root().resolve("reference.img");
    // With its default extent size hint of 1 MiB, QEMU allocates more space on XFS than it writes.
    Command.run(
        "qemu-img",
        "convert",
        "-f",
        "raw",
        "-O",
        "raw",
        "-o",
        "extent_size_hint=0",
        model.toString(),
        reference.toString());
    Command.run("sync", "-f", reference.toString());
    long theirs =
        512 * Long.parseLong(Command.run("stat", "-c", "%b", reference.toString()).strip());
    long ours =
        512 * Long.parseLong(Command.run("stat", "-c", "%b", disk.path().toString()).strip());
    assertTrue(
        Math.abs(ours - theirs) <= theirs / 20, "allocated " + ours + ", by qemu-img " + theirs);
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void sequentialStreamOfUnknownLengthIsWrittenOnce(MountedFileSystem.Kind kind)
      throws IOException {
    long seed = System.nanoTime();
    System.out.println("sequentialStream " + kind + " seed " + seed);
    Random random = new Random(seed);
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 400L * MIB);
        Model model = new Model(temporary.resolve("model"), 0)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        long at = 0;
        while (at < 60L * MIB) {
          byte[] bytes = new byte[1 + random.nextInt(300_000)];
          if (random.nextInt(4) != 0) {
            random.nextBytes(bytes);
          }
          model.put(at, bytes);
          writer.write(at, bytes, 0, bytes.length);
          at += bytes.length;
        }
        PublishedDisk disk = writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
        assertEquals(Sizes.ceil(at, MIB), disk.size());
        assertEquals(at, disk.record().virtualSize());
        assertEquals(at, writer.guestBytes());
        model.extend(disk.size());
        Command.run("cmp", model.path().toString(), disk.path().toString());
        assertAllocatedLikeQemu(model.path(), disk, mounted);
        assertTrue(
            writer.bytesWritten() <= disk.allocated() * 1.02,
            writer.bytesWritten() + " written, " + disk.allocated() + " allocated");
      }
    }
  }

  @Test
  void nothingIsVisibleBeforePublishAndNothingStaysWithoutIt() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      writer.write(0, filled(MIB, 1), 0, MIB);
      assertFalse(volume.occupied());
    }
    assertEquals(List.of(), names(temporary));
  }

  @Test
  @Tag("tools")
  void modeIsForOwnerAndGroupAndTheGroupIsTheDirectorys() throws IOException {
    Command.run("chgrp", "107", temporary.toString());
    Command.run("chmod", "2770", temporary.toString());
    publish(VolumeTarget.of(temporary), WriteOptions.DEFAULTS, filled(1000, 7));
    assertEquals(
        "660 107",
        Command.run("stat", "-c", "%a %g", temporary.resolve("disk.img").toString()).strip());
  }

  @Test
  @Tag("tools")
  void recordIsReadableByOtherPrograms() throws IOException {
    publish(VolumeTarget.of(temporary), WriteOptions.DEFAULTS, filled(1000, 7));
    String disk = temporary.resolve("disk.img").toString();
    assertEquals(
        DIGEST,
        Command.run(
            "getfattr",
            "--only-values",
            "-n",
            "user.pvc-populators.source-digest",
            "--absolute-names",
            disk));
    assertEquals(
        "1000",
        Command.run(
            "getfattr",
            "--only-values",
            "-n",
            "user.pvc-populators.virtual-size",
            "--absolute-names",
            disk));
  }

  @Test
  @Tag("tools")
  void recordThatIsNotOursIsNone() throws IOException {
    Path disk = Files.writeString(temporary.resolve("disk.img"), "x");
    VolumeTarget volume = VolumeTarget.of(temporary);
    assertEquals(Optional.empty(), volume.recorded());
    Command.run(
        "setfattr", "-n", "user.pvc-populators.source-digest", "-v", "sha256:1", disk.toString());
    Command.run("setfattr", "-n", "user.pvc-populators.format", "-v", "floppy", disk.toString());
    Command.run("setfattr", "-n", "user.pvc-populators.virtual-size", "-v", "-3", disk.toString());
    assertEquals(Optional.empty(), volume.recorded());
    volume.delete();
    assertTrue(volume.occupied());
  }

  @Test
  void deleteRemovesOnlyADiskOfOurs() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    volume.delete();
    publish(volume, WriteOptions.DEFAULTS, filled(1000, 7));
    Files.writeString(temporary.resolve("notes"), "keep");
    Path disk = temporary.resolve("disk.img");
    Object born = Files.getAttribute(disk, "creationTime");
    VolumeTarget.of(temporary).delete();
    assertEquals(List.of("notes"), names(temporary));
    do { // the creation time changes only every few milliseconds
      Files.deleteIfExists(disk);
      Files.writeString(disk, "somebody's");
    } while (Files.getAttribute(disk, "creationTime").equals(born));
    // The file system may reuse the inode number of the first file for the new file.
    volume.delete();
    VolumeTarget.of(temporary).delete();
    assertEquals("somebody's", Files.readString(disk));
  }

  @Test
  void occupiedVolumeIsRefusedUnlessItMayBeOverwritten() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    publish(volume, WriteOptions.DEFAULTS, filled(1000, 7));
    assertTrue(
        assertThrows(
                VolumeOccupiedException.class, () -> volume.open(WriteOptions.DEFAULTS).close())
            .replaceable());
    WriteOptions overwriting = Overwriting.OPTIONS;
    try (VolumeWriter writer = volume.open(overwriting)) {
      writer.write(0, filled(1000, 8), 0, 1000);
    }
    assertEquals(7, Files.readAllBytes(temporary.resolve("disk.img"))[0]);
    publish(volume, overwriting, filled(1000, 9));
    assertEquals(9, Files.readAllBytes(temporary.resolve("disk.img"))[0]);
    assertEquals(List.of("disk.img"), names(temporary));
  }

  @Test
  void diskThatAppearsMeanwhileIsNotReplaced() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      writer.write(0, filled(1000, 8), 0, 1000);
      Files.writeString(temporary.resolve("disk.img"), "somebody's");
      assertThrows(
          VolumeOccupiedException.class,
          () -> writer.publish(Origin.digest(DIGEST), ImageFormat.RAW));
    }
    assertEquals("somebody's", Files.readString(temporary.resolve("disk.img")));
    assertEquals(List.of("disk.img"), names(temporary));
  }

  @Test
  void symbolicLinkIsReplacedAndNeverFollowed() throws IOException {
    // The link leads to a valid disk in another directory. The volume must not accept this disk.
    Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
    publish(VolumeTarget.of(elsewhere), WriteOptions.DEFAULTS, filled(1000, 7));
    Path outside = elsewhere.resolve("disk.img");
    Path directory = Files.createDirectory(temporary.resolve("volume"));
    Path link = Files.createSymbolicLink(directory.resolve("disk.img"), outside);
    VolumeTarget volume = VolumeTarget.of(directory);
    assertTrue(volume.occupied());
    assertEquals(Optional.empty(), volume.recorded());
    volume.delete();
    assertTrue(Files.isSymbolicLink(link));
    assertThrows(VolumeOccupiedException.class, () -> volume.open(WriteOptions.DEFAULTS).close());
    publish(volume, Overwriting.OPTIONS, filled(1000, 9));
    assertEquals(7, Files.readAllBytes(outside)[0]);
    assertTrue(Files.isRegularFile(link, LinkOption.NOFOLLOW_LINKS));
  }

  @Test
  void danglingSymbolicLinkIsNotFollowed() throws IOException {
    Path outside = temporary.resolve("outside");
    Path directory = Files.createDirectory(temporary.resolve("volume"));
    Files.createSymbolicLink(directory.resolve("disk.img"), outside);
    VolumeTarget volume = VolumeTarget.of(directory);
    assertTrue(volume.occupied());
    assertThrows(VolumeOccupiedException.class, () -> volume.open(WriteOptions.DEFAULTS).close());
    publish(volume, Overwriting.OPTIONS, filled(1000, 9));
    assertFalse(Files.exists(outside));
  }

  /// Another program replaces the writer's hidden file with a symbolic link or a hard link to
  /// another file.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anotherFileUnderTheNameOfOursIsNotTakenForIt(boolean link) throws IOException {
    Path outside = Files.writeString(temporary.resolve("outside"), "untouched");
    Path directory = Files.createDirectory(temporary.resolve("volume"));
    VolumeTarget volume = VolumeTarget.of(directory);
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      writer.write(0, filled(MIB, 1), 0, MIB);
      Path hidden = directory.resolve(names(directory).getFirst());
      Files.delete(hidden);
      if (link) {
        Files.createSymbolicLink(hidden, outside);
      } else {
        Files.createLink(hidden, outside);
      }
      writer.write(MIB, filled(MIB, 2), 0, MIB);
      VolumeOccupiedException e =
          assertThrows(
              VolumeOccupiedException.class,
              () -> writer.publish(Origin.digest(DIGEST), ImageFormat.RAW));
      assertFalse(e.replaceable());
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("another program has replaced disk.img"), message);
    }
    assertEquals("untouched", Files.readString(outside));
    assertEquals(Optional.empty(), volume.recorded());
  }

  /// Tests the file paths through which `qemu-img` reads the spool file and writes the disk.
  @Test
  @Tag("tools")
  void otherProgramsOpenTheFileByDescriptor() throws IOException {
    Path outside = Files.writeString(temporary.resolve("outside"), "untouched");
    Path directory = Files.createDirectory(temporary.resolve("volume"));
    VolumeTarget volume = VolumeTarget.of(directory);
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      Path spool = writer.openSpool();
      Path disk = writer.handOver(MIB);
      for (String name : names(directory)) {
        Files.delete(directory.resolve(name));
        Files.createSymbolicLink(directory.resolve(name), outside);
      }
      Command.run("sh", "-c", "printf spooled > " + spool);
      assertEquals("spooled", Files.readString(spool));
      Command.run("sh", "-c", "printf disk > " + disk);
    }
    assertEquals("untouched", Files.readString(outside));
  }

  @Test
  void directoryNamedLikeTheDiskIsNeverReplaced() throws IOException {
    Files.createDirectory(temporary.resolve("disk.img"));
    VolumeTarget volume = VolumeTarget.of(temporary);
    for (WriteOptions options : List.of(WriteOptions.DEFAULTS, Overwriting.OPTIONS)) {
      VolumeOccupiedException e =
          assertThrows(VolumeOccupiedException.class, () -> volume.open(options).close());
      assertFalse(e.replaceable());
      String message = String.valueOf(e.getMessage());
      assertTrue(message.contains("neither a regular file nor a symbolic link"), message);
      assertFalse(message.contains("overwriting"), message);
    }
  }

  @Test
  void leftoversGoAndOthersFilesStay() throws IOException {
    Files.writeString(temporary.resolve(".disk.img.populating-0123456789abcdef"), "ours");
    Files.writeString(temporary.resolve(".disk.img.populating-0123456789abcdeX"), "theirs");
    Files.writeString(temporary.resolve(".disk.img.populating-"), "theirs");
    Files.writeString(temporary.resolve("disk.img"), "disk");
    VolumeTarget.of(temporary).removeLeftovers();
    assertEquals(
        List.of(".disk.img.populating-", ".disk.img.populating-0123456789abcdeX", "disk.img"),
        names(temporary));
  }

  @Test
  void leftoverThatIsBeingWrittenStays() throws IOException {
    VolumeTarget volume = VolumeTarget.of(temporary);
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      writer.write(0, filled(1000, 8), 0, 1000);
      VolumeTarget.of(temporary).removeLeftovers();
      writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
    }
    assertTrue(volume.occupied());
  }

  @Test
  @Tag("tools")
  void sizeIsCheckedOnBothSidesOfTheLimit() throws IOException {
    try (MountedFileSystem mounted =
        MountedFileSystem.make(MountedFileSystem.Kind.TMPFS, 16L * MIB - 8192)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      assertEquals(16L * MIB - 8192, volume.available(false));
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        // The size fits, but the size rounded up to 1 MiB does not fit.
        ExceedsVolumeException e =
            assertThrows(ExceedsVolumeException.class, () -> writer.expect(15L * MIB + 1));
        assertFalse(e.full());
        assertEquals(16L * MIB, e.required());
        assertEquals(16L * MIB - 8192, e.available());
      }
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        writer.expect(15L * MIB);
        writer.write(15L * MIB - 1, new byte[] {1}, 0, 1);
        assertThrows(
            IndexOutOfBoundsException.class, () -> writer.write(15L * MIB, new byte[] {1}, 0, 1));
        assertEquals(15L * MIB, writer.publish(Origin.digest(DIGEST), ImageFormat.RAW).size());
      }
      volume.delete();
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        writer.write(15L * MIB - 1, new byte[1], 0, 1);
        assertThrows(
            ExceedsVolumeException.class, () -> writer.write(15L * MIB, new byte[1], 0, 1));
        assertThrows(
            ExceedsVolumeException.class,
            () -> writer.write(Long.MAX_VALUE - 1, new byte[1], 0, 1));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void volumeThatRunsFullIsLeftAsItWas(MountedFileSystem.Kind kind) throws IOException {
    long size = kind == MountedFileSystem.Kind.XFS ? 320L * MIB : 64L * MIB;
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, size)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      long before = mounted.free();
      byte[] data = filled(MIB, 3);
      ExceedsVolumeException e;
      try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
        // Simulates another process that uses half of the free space after the volume was opened.
        fill(mounted.root().resolve("other"), before / 2);
        e =
            assertThrows(
                ExceedsVolumeException.class,
                () -> {
                  for (long at = 0; ; at += MIB) {
                    writer.write(at, data, 0, MIB);
                  }
                });
        assertThrows(
            IllegalStateException.class,
            () -> writer.publish(Origin.digest(DIGEST), ImageFormat.RAW));
      }
      assertTrue(e.full());
      assertEquals(before, e.available());
      Files.delete(mounted.root().resolve("other"));
      assertFalse(volume.occupied());
      mounted.awaitFree(before - 65536);
    }
  }

  private static void fill(Path path, long size) throws IOException {
    Command.run("fallocate", "-l", Long.toString(size), path.toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void oldDiskGivesItsSpaceWhenTheVolumeIsFull(MountedFileSystem.Kind kind) throws IOException {
    long size = kind == MountedFileSystem.Kind.XFS ? 320L * MIB : 96L * MIB;
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, size)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      int mibs = (int) (volume.available(false) / MIB * 7 / 10);
      writeAndPublish(volume, WriteOptions.DEFAULTS, mibs, 1);
      assertTrue(volume.available(false) < (long) mibs * MIB);
      assertTrue(volume.available(true) >= (long) mibs * MIB);
      PublishedDisk disk = writeAndPublish(volume, Overwriting.OPTIONS, mibs, 2);
      assertEquals((long) mibs * MIB, disk.size());
      try (InputStream content = Files.newInputStream(disk.path())) {
        assertArrayEquals(filled(MIB, 2), content.readNBytes(MIB));
      }
    }
  }

  private static PublishedDisk writeAndPublish(
      VolumeTarget volume, WriteOptions options, int mibs, int value) throws IOException {
    try (VolumeWriter writer = volume.open(options)) {
      writer.expect((long) mibs * MIB);
      for (long at = 0; at < mibs; at++) {
        writer.write(at * MIB, filled(MIB, value), 0, MIB);
      }
      return writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void growsToTheVolumeLessOverheadAndStaysSparse(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 400L * MIB)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      long available = volume.available(false);
      PublishedDisk disk =
          publish(
              volume,
              new WriteOptions(false, true, Preallocation.NONE, Optional.empty(), false),
              filled(100_000, 3));
      assertEquals(Sizes.floor((long) (available * 0.94), MIB), disk.size());
      assertEquals(disk.size(), Files.size(disk.path()));
      assertTrue(disk.allocated() <= 128 * 1024, "allocated " + disk.allocated());
    }
  }

  /// `qemu-img convert` truncates the file before it writes the disk. The truncation frees the
  /// reserved space.
  @Test
  void reservesTheSpaceAgainBehindAnotherProgram() throws IOException {
    WriteOptions options =
        new WriteOptions(false, false, Preallocation.FALLOC, Optional.empty(), false);
    try (VolumeWriter writer = VolumeTarget.of(temporary).open(options)) {
      Files.write(writer.handOver(4L * MIB), filled(9000, 4));
      PublishedDisk disk = writer.publish(Origin.digest(DIGEST), ImageFormat.VMDK);
      assertEquals(4L * MIB, disk.size());
      assertTrue(disk.allocated() >= 4L * MIB, "allocated " + disk.allocated());
      assertArrayEquals(Arrays.copyOf(filled(9000, 4), 4 * MIB), Files.readAllBytes(disk.path()));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"EXT4", "XFS", "TMPFS"})
  @Tag("tools")
  void preallocationTakesTheWholeSpace(MountedFileSystem.Kind kind) throws IOException {
    try (MountedFileSystem mounted = MountedFileSystem.make(kind, 400L * MIB)) {
      VolumeTarget volume = VolumeTarget.of(mounted.root());
      for (Preallocation preallocation :
          new Preallocation[] {Preallocation.FALLOC, Preallocation.FULL}) {
        WriteOptions options =
            new WriteOptions(false, false, preallocation, Optional.empty(), false);
        for (boolean known : new boolean[] {true, false}) {
          try (VolumeWriter writer = volume.open(options);
              Model model = new Model(temporary.resolve("model"), 20L * MIB)) {
            if (known) {
              writer.expect(20L * MIB);
            }
            model.put(5L * MIB + 700, filled(9000, 4));
            model.put(20L * MIB - 1, filled(1, 4));
            writer.write(5L * MIB + 700, filled(9000, 4), 0, 9000);
            writer.write(20L * MIB - 1, filled(1, 4), 0, 1);
            PublishedDisk disk = writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
            assertTrue(disk.allocated() >= 20L * MIB, "allocated " + disk.allocated());
            Command.run("cmp", model.path().toString(), disk.path().toString());
            if (preallocation == Preallocation.FULL) {
              try (NativeFile file =
                  NativeFile.openToRead(disk.path(), NativeFile.Links.FOLLOWED)) {
                assertEquals(20L * MIB, file.nextHole(0));
              }
            }
          }
          volume.delete();
        }
      }
    }
  }

  @Test
  void zerosForManyHolesTakeLittleMemory() throws IOException {
    WriteOptions options =
        new WriteOptions(false, false, Preallocation.FULL, Optional.empty(), false);
    VolumeTarget volume = VolumeTarget.of(temporary);
    try (VolumeWriter writer = volume.open(options)) {
      for (int i = 0; i < 1000; i++) {
        writer.write(i * 16L * 1024, filled(4096, 1), 0, 4096);
      }
      long before = resident();
      writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
      long grown = resident() - before;
      assertTrue(grown < 512L * MIB, "memory has grown by " + grown);
    }
  }

  /// Returns the resident memory of this process in bytes.
  private static long resident() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
        .sum();
  }

  @Test
  void cannotBePublishedAfterAFailedWriteEvenIfALaterWriteSucceeds() throws Exception {
    VolumeTarget volume = VolumeTarget.of(temporary);
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      writer.write(0, filled(1000, 1), 0, 1000);
      assertThrows(
          IndexOutOfBoundsException.class, () -> writer.write(5000, new byte[10], 0, 1000));
      writer.write(1000, filled(1000, 1), 0, 1000);
      assertThrows(
          IllegalStateException.class,
          () -> writer.publish(Origin.digest(DIGEST), ImageFormat.RAW));
    }
  }

  @Test
  void cancelEndsTheNextWriteAndThePublication() throws Exception {
    VolumeTarget volume = VolumeTarget.of(temporary);
    try (VolumeWriter writer = volume.open(WriteOptions.DEFAULTS)) {
      writer.write(0, filled(1000, 1), 0, 1000);
      Thread other = Thread.startVirtualThread(writer::cancel);
      other.join();
      assertThrows(
          InterruptedIOException.class, () -> writer.write(1000, filled(1000, 1), 0, 1000));
      assertThrows(
          InterruptedIOException.class,
          () -> writer.publish(Origin.digest(DIGEST), ImageFormat.RAW));
    }
    assertEquals(List.of(), names(temporary));
  }

  @Test
  void otherKindsOfTargetAreRefused() throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "");
    assertThrows(IOException.class, () -> VolumeTarget.of(file));
    assertThrows(IOException.class, () -> VolumeTarget.of(Path.of("/dev/null")));
    assertThrows(IOException.class, () -> VolumeTarget.of(temporary.resolve("nothing")));
  }

  private static PublishedDisk publish(VolumeTarget volume, WriteOptions options, byte[] bytes)
      throws IOException {
    try (VolumeWriter writer = volume.open(options)) {
      writer.write(0, bytes, 0, bytes.length);
      return writer.publish(Origin.digest(DIGEST), ImageFormat.RAW);
    }
  }

  private static byte[] filled(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static List<String> names(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }
}
