package dev.pvcpopulators.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeFileTest {
  private static final int BLOCK = 4096;

  @TempDir Path temporary;

  @Test
  void usesThePageCacheWithoutAlignment() throws IOException {
    try (Directory directory = Directory.open(temporary);
        NativeFile file = directory.create("file", true);
        Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(2L * BLOCK, BLOCK).fill((byte) 7);
      assertTrue(file.direct());
      file.write(0, bytes);
      assertTrue(file.direct());
      file.write(2L * BLOCK, bytes.asSlice(1, 100));
      assertFalse(file.direct());
      MemorySegment read = arena.allocate(3L * BLOCK, BLOCK);
      assertEquals(2L * BLOCK + 100, file.read(0, read));
    }
    byte[] expected = new byte[2 * BLOCK + 100];
    Arrays.fill(expected, (byte) 7);
    assertTrue(Arrays.equals(expected, Files.readAllBytes(temporary.resolve("file"))));
  }

  @Test
  void holesAreFoundPunchedAndCounted() throws IOException {
    try (Directory directory = Directory.open(temporary);
        NativeFile file = directory.create("file", false);
        Arena arena = Arena.ofConfined()) {
      file.truncate(16L * BLOCK);
      assertEquals(OptionalLong.empty(), file.nextData(0));
      file.write(4L * BLOCK, arena.allocate(4L * BLOCK).fill((byte) 1));
      assertEquals(OptionalLong.of(4L * BLOCK), file.nextData(0));
      assertEquals(8L * BLOCK, file.nextHole(4L * BLOCK));
      assertTrue(file.punch(5L * BLOCK, BLOCK));
      assertEquals(5L * BLOCK, file.nextHole(4L * BLOCK));
      file.sync();
      FileStatus status = file.status();
      assertEquals(16L * BLOCK, status.length());
      assertEquals(3L * BLOCK, status.allocated());
      assertTrue(status.regularFile());
      MemorySegment read = arena.allocate(BLOCK);
      file.read(5L * BLOCK, read);
      assertEquals(0, read.get(ValueLayout.JAVA_BYTE, 0));
    }
  }

  @Test
  void failureNamesActionPathAndError() throws IOException {
    try (Directory directory = Directory.open(temporary);
        NativeFile file = directory.create("file", false)) {
      SystemCallException e =
          assertThrows(SystemCallException.class, () -> directory.create("file", false));
      assertTrue(e.alreadyExists());
      assertFalse(e.full());
      assertEquals(
          "Cannot create " + temporary.resolve("file") + ": EEXIST (File exists)", e.getMessage());
      assertThrows(SystemCallException.class, () -> file.truncate(-1));
    }
    try (Directory devices = Directory.open(Path.of("/dev"));
        NativeFile full = devices.openToWrite("full");
        Arena arena = Arena.ofConfined()) {
      SystemCallException e =
          assertThrows(SystemCallException.class, () -> full.write(0, arena.allocate(1)));
      assertTrue(e.full());
    }
  }

  @Test
  void namesAreNotFollowedOutOfTheDirectory() throws IOException {
    Path outside = Files.writeString(temporary.resolve("outside"), "x");
    Path inside = Files.createDirectory(temporary.resolve("inside"));
    Files.createSymbolicLink(inside.resolve("link"), outside);
    try (Directory directory = Directory.open(inside)) {
      assertThrows(SystemCallException.class, () -> directory.openToRead("link").close());
      assertThrows(SystemCallException.class, () -> directory.openToWrite("link").close());
      assertThrows(SystemCallException.class, () -> directory.create("link", false).close());
      assertTrue(directory.status("link").orElseThrow().symbolicLink());
      assertEquals(Optional.empty(), directory.status("nothing"));
      assertFalse(directory.removeIfPresent("nothing"));
    }
  }

  @Test
  void aFileWithoutANameEndsWithItsDescriptor() throws IOException {
    Path path;
    try (Directory directory = Directory.open(temporary);
        NativeFile file = directory.createUnnamed("moment", false)) {
      path = file.again();
      Files.writeString(path, "x");
      assertEquals(1, file.status().length());
      assertEquals(0, file.status().links());
      assertTrue(leadsInto(path, temporary));
    }
    assertFalse(leadsInto(path, temporary));
  }

  /// Returns true if a descriptor belongs to a file in a directory. The check needs the directory,
  /// because a file of another thread may have the number of a closed descriptor.
  private static boolean leadsInto(Path link, Path directory) throws IOException {
    try {
      return Files.readSymbolicLink(link).startsWith(directory.toRealPath());
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  @Test
  void sharedLockExcludesTheExclusiveOneOnly() throws IOException {
    Path path = Files.createFile(temporary.resolve("file"));
    try (NativeFile writer = NativeFile.openToWrite(path, NativeFile.Links.REFUSED)) {
      try (NativeFile reader = NativeFile.openToRead(path, NativeFile.Links.REFUSED);
          NativeFile other = NativeFile.openToRead(path, NativeFile.Links.REFUSED)) {
        assertTrue(reader.lockShared());
        assertTrue(other.lockShared());
        assertFalse(writer.lock());
      }
      assertTrue(writer.lock());
    }
  }

  @Test
  void buffersOfEitherKindAreWrittenFromTheirPosition() throws IOException {
    Path path = Files.createFile(temporary.resolve("file"));
    byte[] bytes = new byte[200_000];
    new Random(3).nextBytes(bytes);
    try (NativeFile file = NativeFile.openToWrite(path, NativeFile.Links.FOLLOWED)) {
      ByteBuffer first = ByteBuffer.wrap(bytes).limit(150_000);
      file.write(0, first);
      assertEquals(150_000, first.position());
      ByteBuffer rest = ByteBuffer.allocateDirect(bytes.length).put(bytes).position(150_000);
      file.write(150_000, rest);
      assertEquals(200_000, file.length());
    }
    assertArrayEquals(bytes, Files.readAllBytes(path));
  }

  @Test
  void closedFileRefusesCalls() throws IOException {
    Path path = Files.createFile(temporary.resolve("file"));
    NativeFile file = NativeFile.openToWrite(path, NativeFile.Links.FOLLOWED);
    file.close();
    file.close();
    assertThrows(ClosedChannelException.class, file::length);
    assertThrows(ClosedChannelException.class, file::startWriteback);
  }

  @Test
  void linksAreRefusedOnRequest() throws IOException {
    Path path = Files.createFile(temporary.resolve("file"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), path);
    NativeFile.openToRead(link, NativeFile.Links.FOLLOWED).close();
    assertThrows(
        SystemCallException.class,
        () -> NativeFile.openToWrite(link, NativeFile.Links.REFUSED).close());
  }

  @Test
  void lockExcludesOtherDescriptorsUntilItIsClosed() throws IOException {
    try (Directory directory = Directory.open(temporary);
        NativeFile other = directory.create("file", false)) {
      try (NativeFile holder = directory.openToWrite("file")) {
        assertTrue(holder.lock());
        assertFalse(other.lock());
      }
      assertTrue(other.lock());
    }
  }

  @Test
  void attributesHaveBothSidesOfTheirLimit() throws IOException {
    try (Directory directory = Directory.open(temporary);
        NativeFile file = directory.create("file", false)) {
      assertEquals(Optional.empty(), file.attribute("user.test"));
      assertTrue(file.setAttribute("user.test", "y".repeat(1024)));
      assertEquals(Optional.of("y".repeat(1024)), file.attribute("user.test"));
      assertTrue(file.setAttribute("user.test", ""));
      assertEquals(Optional.of(""), file.attribute("user.test"));
      file.removeAttribute("user.test");
      file.removeAttribute("user.test");
      assertEquals(Optional.empty(), file.attribute("user.test"));
      assertFalse(file.setAttribute("user.test", "y".repeat(65537)), "longer than any may be");
    }
  }

  @Test
  void renameReplacesOnlyWhereThatIsAllowed() throws IOException {
    try (Directory directory = Directory.open(temporary)) {
      directory.create("a", false).close();
      directory.create("b", false).close();
      SystemCallException e =
          assertThrows(SystemCallException.class, () -> directory.rename("a", "b", false));
      assertTrue(e.alreadyExists());
      directory.rename("a", "b", true);
      directory.rename("b", "c", false);
      directory.sync();
      assertTrue(Files.exists(temporary.resolve("c")));
      assertFalse(Files.exists(temporary.resolve("a")));
      assertTrue(directory.fileSystem().usable() > 0);
    }
  }
}
