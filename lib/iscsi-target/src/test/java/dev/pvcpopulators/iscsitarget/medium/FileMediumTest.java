package dev.pvcpopulators.iscsitarget.medium;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.Medium.Extent;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileMediumTest implements MediumContract {
  @Override
  public Medium zeros(Path directory, long length) throws IOException {
    return FileMedium.open(sparse(directory, length), true);
  }

  private static Path sparse(Path directory, long length) throws IOException {
    Path file = directory.resolve("disk.img");
    try (RandomAccessFile created = new RandomAccessFile(file.toFile(), "rw")) {
      created.setLength(length);
    }
    return file;
  }

  @Test
  void onlyAFileThatIsNotWritableDoesNotChange(@TempDir Path directory) throws IOException {
    Path file = sparse(directory, 4096);
    try (Medium medium = FileMedium.open(file, true)) {
      assertNull(medium.unchangingFile(0, 4096));
    }
    try (Medium medium = FileMedium.open(file, false)) {
      assertNotNull(medium.unchangingFile(0, 4096));
    }
  }

  @Test
  void roundsItsLengthDownToASector(@TempDir Path directory) throws IOException {
    Path file = sparse(directory, 1535);
    try (Medium medium = FileMedium.open(file, true)) {
      assertEquals(1024, medium.length());
    }
    assertEquals(1535, Files.size(file));
  }

  @Test
  @Tag("tools")
  void refusesLessThanASector(@TempDir Path directory) throws Exception {
    Path file = sparse(directory, 511);
    assertMessage("at least one sector", file, true);
    assertMessage("expected a file or a block device", directory, false);
    Path pipe = directory.resolve("pipe");
    run("mkfifo", pipe.toString());
    assertMessage("pipe", pipe, false);
    assertMessage("absent", directory.resolve("absent"), true);
  }

  private static void assertMessage(String part, Path path, boolean writable) {
    IOException e = assertThrows(IOException.class, () -> FileMedium.open(path, writable));
    assertTrue(String.valueOf(e.getMessage()).contains(part), e.toString());
  }

  @Test
  void isUsedByOneWriterOrSeveralReaders(@TempDir Path directory) throws IOException {
    Path file = sparse(directory, 4096);
    try (Medium writer = FileMedium.open(file, true)) {
      assertTrue(writer.writable());
      assertMessage("another program uses it", file, true);
      assertMessage("another program uses it", file, false);
    }
    try (Medium reader = FileMedium.open(file, false);
        Medium another = FileMedium.open(file, false)) {
      assertFalse(reader.writable());
      assertArrayEquals(
          MediumContract.bytes(reader, 0, 4096), MediumContract.bytes(another, 0, 4096));
      assertMessage("another program uses it", file, true);
    }
    FileMedium.open(file, true).close();
  }

  @Test
  @Tag("tools")
  void excludesOtherProcesses(@TempDir Path directory) throws Exception {
    Path file = sparse(directory, 4096);
    try (Medium medium = FileMedium.open(file, true)) {
      assertTrue(medium.writable());
      Process flock = new ProcessBuilder("flock", "-n", file.toString(), "true").start();
      assertEquals(1, flock.waitFor());
    }
    run("flock", "-n", file.toString(), "true");
  }

  @Test
  void refusesWritesToAReadOnlyFile(@TempDir Path directory) throws IOException {
    try (Medium medium = FileMedium.open(sparse(directory, 4096), false)) {
      assertThrows(IOException.class, () -> medium.write(0, ByteBuffer.allocate(1)));
      assertThrows(IOException.class, () -> medium.zero(0, 1));
      assertThrows(IOException.class, () -> medium.deallocate(0, 1));
      medium.flush();
    }
  }

  @Test
  void writesIntoTheFile(@TempDir Path directory) throws IOException {
    Path file = sparse(directory, 8192);
    try (Medium medium = FileMedium.open(file, true)) {
      medium.write(5000, ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII)));
      medium.flush();
      byte[] all = Files.readAllBytes(file);
      assertEquals("hello", new String(all, 5000, 5, StandardCharsets.US_ASCII));
      assertEquals(8192, all.length);
    }
  }

  @Test
  @Tag("tools")
  void freesSpaceAndReportsHoles(@TempDir Path directory) throws Exception {
    int mib = 1 << 20;
    Path file = sparse(directory, 3L * mib);
    try (Medium medium = FileMedium.open(file, true)) {
      assertEquals(new Extent(3L * mib, false), medium.extent(0));
      byte[] data = new byte[3 * mib];
      Arrays.fill(data, (byte) 7);
      medium.write(0, ByteBuffer.wrap(data));
      assertEquals(new Extent(3L * mib, true), medium.extent(0));
      assertEquals(new Extent(2L * mib, true), medium.extent(mib));

      medium.deallocate(mib, mib);
      assertEquals(new Extent(mib, true), medium.extent(0));
      assertEquals(new Extent(mib, false), medium.extent(mib));
      assertEquals(new Extent(mib - 512, false), medium.extent(mib + 512));
      assertEquals(new Extent(mib, true), medium.extent(2L * mib));
      assertEquals(2L * mib, allocated(file));

      medium.zero(0, mib);
      assertArrayEquals(new byte[2 * mib], MediumContract.bytes(medium, 0, 2 * mib));
      assertEquals(2L * mib, allocated(file), "zero keeps the space");
      medium.deallocate(0, 3L * mib);
      assertEquals(0, allocated(file));
      assertEquals(3L * mib, Files.size(file));
    }
  }

  private static long allocated(Path file) throws Exception {
    String blocks = run("stat", "-c", "%b", file.toString());
    return Long.parseLong(blocks.strip()) * 512;
  }

  @Test
  @Tag("tools")
  void saysThatTheDiskIsFull(@TempDir Path directory) throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory.toString());
    try {
      Path file = sparse(directory, 4 << 20);
      try (Medium medium = FileMedium.open(file, true)) {
        byte[] data = new byte[1 << 19];
        medium.write(0, ByteBuffer.wrap(data));
        assertThrows(
            MediumFullException.class,
            () -> medium.write(1 << 20, ByteBuffer.wrap(new byte[data.length * 2])));
        medium.write(0, ByteBuffer.wrap(data));
        medium.deallocate(0, 4 << 20);
        medium.write(1 << 20, ByteBuffer.wrap(data));
      }
    } finally {
      run("umount", directory.toString());
    }
  }

  @Test
  @Tag("tools")
  void servesABlockDevice(@TempDir Path directory) throws Exception {
    Path file = sparse(directory, 1 << 20);
    Files.write(file, new byte[1 << 20]);
    String device =
        run("flock", "/dev/loop-control", "losetup", "--find", "--show", file.toString()).strip();
    try {
      try (Medium medium = FileMedium.open(Path.of(device), true)) {
        assertEquals(1 << 20, medium.length());
        byte[] data = new byte[8192];
        Arrays.fill(data, (byte) 9);
        medium.write(4096, ByteBuffer.wrap(data));
        medium.deallocate(8192, 512);
        medium.zero(4096, 512);
        medium.flush();
        assertEquals(new Extent((1 << 20) - 512, true), medium.extent(512));
        Arrays.fill(data, 0, 512, (byte) 0);
        Arrays.fill(data, 4096, 4096 + 512, (byte) 0);
        assertArrayEquals(data, MediumContract.bytes(medium, 4096, 8192));
        assertMessage("in use", device);
      }
    } finally {
      run("losetup", "--detach", device);
    }
  }

  private static void assertMessage(String what, String device) {
    assertThrows(IOException.class, () -> FileMedium.open(Path.of(device), true), what);
  }

  @Test
  void reportsATruncatedFile(@TempDir Path directory) throws IOException {
    Path file = sparse(directory, 8192);
    try (Medium medium = FileMedium.open(file, true)) {
      sparse(directory, 4096);
      assertThrows(EOFException.class, () -> medium.read(4095, ByteBuffer.allocate(2)));
    }
  }

  @Test
  void touchesNothingAfterItsEnd(@TempDir Path directory) throws IOException {
    Medium medium = FileMedium.open(sparse(directory, 8192), true);
    medium.close();
    medium.close();
    assertThrows(ClosedChannelException.class, () -> medium.read(0, ByteBuffer.allocate(1)));
    assertThrows(ClosedChannelException.class, () -> medium.write(0, ByteBuffer.allocate(1)));
    assertThrows(ClosedChannelException.class, () -> medium.deallocate(0, 1));
    assertThrows(ClosedChannelException.class, () -> medium.extent(0));
  }

  @Test
  void followsItsFileThroughARename(@TempDir Path directory) throws IOException {
    Path file = sparse(directory, 8192);
    try (Medium medium = FileMedium.open(file, true)) {
      Path moved = Files.move(file, directory.resolve("moved"));
      medium.write(0, ByteBuffer.wrap(new byte[] {5}));
      medium.deallocate(4096, 4096);
      assertEquals(5, Files.readAllBytes(moved)[0]);
      assertThrows(NoSuchFileException.class, () -> Files.size(file));
    }
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), String.join(" ", command) + ": " + output);
    return output;
  }
}
