package dev.pvcpopulators.populate.upload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.volume.VolumeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImageTest {
  private static final int LENGTH = 100_000;
  private static final int PART = 7_000;

  @TempDir private Path directory;

  private static byte[] bytes() {
    byte[] bytes = new byte[LENGTH];
    new Random(20261126).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private Path file() throws IOException {
    return Files.write(directory.resolve("disk.img"), bytes());
  }

  @Test
  void anInterruptedFileIsHashedOnce() throws Exception {
    try (Image image = Image.open(file())) {
      HashedImage hashed = new HashedImage(image);
      byte[] part = new byte[PART];
      // Each part begins in the middle of the previous part, as after a lost connection.
      for (long offset = 0; offset < LENGTH; offset += PART / 2) {
        int count = hashed.read(offset, part, PART);
        assertArrayEquals(
            Arrays.copyOfRange(bytes(), (int) offset, (int) offset + count),
            Arrays.copyOf(part, count));
      }
      assertEquals(0, hashed.read(LENGTH, part, PART));
      assertEquals(sha256(bytes()), hashed.sha256(LENGTH));
    }
  }

  @Test
  void aSecondCallHashesTheBytesOfTheFirstOne() throws Exception {
    try (Image image = Image.open(file())) {
      HashedImage hashed = new HashedImage(image);
      hashed.read(LENGTH - 10, new byte[PART], PART);
      assertEquals(sha256(bytes()), hashed.sha256(LENGTH));
    }
  }

  @Test
  void anOffsetBeyondTheEndIsRefused() throws Exception {
    try (Image file = Image.open(file());
        Image stream = new Image.OfStream(new ByteArrayInputStream(bytes()))) {
      for (HashedImage hashed : List.of(new HashedImage(file), new HashedImage(stream))) {
        assertThrows(IOException.class, () -> hashed.read(LENGTH + 1, new byte[PART], PART));
      }
    }
  }

  @Test
  void aStreamRepeatsItsLastPartOnly() throws Exception {
    try (Image image = new Image.OfStream(new ByteArrayInputStream(bytes()))) {
      HashedImage hashed = new HashedImage(image);
      byte[] part = new byte[PART];
      assertEquals(PART, hashed.read(0, part, PART));
      assertEquals(PART, hashed.read(PART, part, PART));
      assertEquals(PART - 5, hashed.read(PART + 5, part, PART));
      assertArrayEquals(
          Arrays.copyOfRange(bytes(), PART + 5, 2 * PART), Arrays.copyOf(part, PART - 5));
      VolumeException e = assertThrows(VolumeException.class, () -> hashed.read(0, part, PART));
      assertEquals("cancelled", e.failure().kind());
      for (long offset = 2 * PART; offset < LENGTH; offset += PART) {
        hashed.read(offset, part, PART);
      }
      assertEquals(sha256(bytes()), hashed.sha256(LENGTH));
    }
  }

  @Test
  void anotherVersionOfAFileHasAnotherKey() throws Exception {
    Path file = file();
    try (Image first = Image.open(file);
        Image same = Image.open(file)) {
      assertEquals(first.key(), same.key());
      Files.setLastModifiedTime(file, FileTime.from(Instant.EPOCH));
      try (Image changed = Image.open(file)) {
        assertNotEquals(first.key(), changed.key());
      }
    }
  }

  @Test
  void aFileThatBecomesShorterIsReported() throws Exception {
    Path file = file();
    try (Image image = Image.open(file)) {
      Files.write(file, Arrays.copyOf(bytes(), LENGTH / 2));
      assertThrows(IOException.class, () -> image.read(LENGTH - PART, new byte[PART], PART));
    }
  }

  @Test
  void missingAndEmptyFilesAreRefused() throws IOException {
    Path empty = Files.createFile(directory.resolve("empty"));
    assertEquals(
        "invalid-request",
        assertThrows(VolumeException.class, () -> Image.open(empty)).failure().kind());
    assertEquals(
        "source-not-found",
        assertThrows(VolumeException.class, () -> Image.open(directory.resolve("none")))
            .failure()
            .kind());
    assertEquals(
        "source-not-found",
        assertThrows(VolumeException.class, () -> Image.open(directory)).failure().kind());
  }
}
