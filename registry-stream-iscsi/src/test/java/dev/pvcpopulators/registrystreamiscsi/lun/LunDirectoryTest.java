package dev.pvcpopulators.registrystreamiscsi.lun;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.overlay.CopyMode;
import dev.pvcpopulators.iscsitarget.overlay.OverlayMedium;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests which LUNs the service finds after a restart, and which files it removes.
final class LunDirectoryTest {
  private static final int BLOCK = 4096;

  @TempDir Path work;
  private LunDirectory luns = new LunDirectory(Path.of("."));

  @BeforeEach
  void open() {
    luns = new LunDirectory(work.resolve("luns"));
  }

  @Test
  void findsRecordedEntries() throws IOException {
    LunRecord record = LunRecord.anew(7, "key", "words", null).discreditedBy("wrong digest");
    luns.create(7);
    luns.write(record);
    assertEquals(record, luns.contents().records().get(7));
  }

  @Test
  void removesFilesWithoutADocument() throws IOException {
    Path home = luns.create(3);
    Files.writeString(home.resolve("overlay.img"), "not offered to anybody");
    assertTrue(luns.contents().records().isEmpty());
    assertFalse(Files.exists(home));
  }

  @Test
  void keepsUnreadableLuns() throws IOException {
    Path home = luns.create(3);
    Files.writeString(home.resolve("lun.json"), "{\"lun\": 3, \"ima");
    Files.writeString(home.resolve("overlay.img"), "somebody's bytes");
    assertEquals(Set.of(3), luns.contents().unreadable());
    assertTrue(Files.exists(home.resolve("overlay.img")));
  }

  @Test
  void keepsADocumentOfAnotherNumber() throws IOException {
    luns.create(3);
    Files.writeString(luns.home(3).resolve("lun.json"), "{\"lun\": 4}");
    assertEquals(Set.of(3), luns.contents().unreadable());
  }

  /// Another process with write access to the cache must neither redirect reads and writes nor
  /// block the start.
  @Test
  void neitherALinkNorAPipeInPlaceOfADocumentIsOpened() throws Exception {
    Path outside = Files.createDirectory(work.resolve("outside")).resolve("lun.json");
    LunRecord record = LunRecord.anew(3, "key", "words", null);
    Path document = luns.create(3).resolve("lun.json");
    luns.write(record);
    Files.move(document, outside);
    byte[] before = Files.readAllBytes(outside);
    Files.createSymbolicLink(document, outside);
    assertEquals(Set.of(3), luns.contents().unreadable());
    Files.delete(document);
    assertEquals(0, new ProcessBuilder("mkfifo", document.toString()).start().waitFor());
    assertEquals(Set.of(3), luns.contents().unreadable());
    Files.createSymbolicLink(luns.home(3).resolve("lun.json.new"), outside);
    assertThrows(IOException.class, () -> luns.write(record.in("other words")));
    assertArrayEquals(before, Files.readAllBytes(outside));
  }

  @Test
  void reportsWrittenLuns() throws IOException {
    Path home = luns.create(0);
    assertFalse(luns.wasWritten(0));
    write(home, false);
    assertFalse(luns.wasWritten(0), "an overlay without a block");
    write(home, true);
    assertTrue(luns.wasWritten(0));
  }

  @Test
  void looksAtTheOverlayOfEachInitiator() throws IOException {
    write(LunDirectory.ofInitiator(luns.create(0), "one"), false);
    assertFalse(luns.wasWritten(0));
    write(LunDirectory.ofInitiator(luns.home(0), "two"), true);
    assertTrue(luns.wasWritten(0));
  }

  @Test
  void keepsADamagedOverlay() throws IOException {
    Files.writeString(luns.create(0).resolve("overlay.map"), "torn");
    assertTrue(luns.wasWritten(0));
  }

  /// Initiators recognise a disk by its identity, so a changed request must keep the identity.
  @Test
  void theSameLunInOtherWordsKeepsItsIdentity() {
    LunRecord record = LunRecord.anew(2, "key", "access=write-shared", null);
    LunRecord changed = record.in("access=read-shared");
    assertEquals("access=read-shared", changed.words());
    assertEquals(record.identity(), changed.identity());
    assertEquals("key", changed.image());
  }

  private void write(Path home, boolean block) throws IOException {
    Path disk = work.resolve("base.img");
    try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
      file.setLength(BLOCK);
    }
    try (FileMedium base = FileMedium.open(disk, false);
        OverlayMedium overlay =
            OverlayMedium.open(base, "key", LunDirectory.overlay(home), CopyMode.COPY_ON_WRITE)) {
      if (block) {
        overlay.write(0, ByteBuffer.allocate(BLOCK));
      }
    }
  }
}
