package dev.pvcpopulators.kit.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// Checks failures of the storage. Several tests cause a real error of the kernel, which the JDK
/// reports as an exception.
class StorageFailuresTest {
  private static final String READ_ONLY = "Read-only file system";

  @TempDir private Path directory = Path.of("");

  @Test
  void storageThatCannotBeReadHasFailed() throws IOException {
    // No memory is mapped at address 0, so the read fails with EIO.
    try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"))) {
      assertFailed("Input/output error", () -> memory.read(ByteBuffer.allocate(1), 0));
    }
  }

  @Test
  void aDeviceThatIsGoneHasFailed() throws IOException {
    Path socket = directory.resolve("socket");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      // open(2) of a socket fails with ENXIO.
      assertFailed("No such device or address", () -> FileChannel.open(socket));
    }
  }

  @Test
  void aMissingFileIsNotAStorageFailure() {
    IOException missing =
        assertThrows(IOException.class, () -> Files.size(directory.resolve("missing")));
    assertEquals(Optional.empty(), StorageFailures.of(missing, "Filling", directory));
  }

  /// The test creates the exceptions itself, because a read-only mount needs root. `it` and
  /// `it/torture` test real mounts.
  @Test
  void aFileSystemThatTurnedReadOnlyHasFailed() {
    String file = directory.resolve("disk.img").toString();
    for (IOException e :
        new IOException[] {
          new IOException(READ_ONLY),
          new IOException("Cannot write " + file + ": " + READ_ONLY),
          new FileSystemException(file, null, READ_ONLY),
        }) {
      Failure failure = StorageFailures.of(e, "Filling", directory).orElseThrow();
      assertInstanceOf(Failure.VolumeFailed.class, failure);
      assertTrue(
          failure
              .detail()
              .startsWith("Filling: the file system of " + directory + " has turned read-only: "),
          failure::detail);
    }
  }

  @Test
  void aFileElsewhereAndAVolumeThatIsNotThereHaveNotFailed() {
    IOException elsewhere = new FileSystemException("/elsewhere/file", null, READ_ONLY);
    assertEquals(Optional.empty(), StorageFailures.of(elsewhere, "Filling", directory));
    Path missing = directory.resolve("missing");
    assertEquals(
        Optional.empty(), StorageFailures.of(new IOException(READ_ONLY), "Filling", missing));
  }

  private void assertFailed(String words, Executable call) {
    IOException e = assertThrows(IOException.class, call);
    Failure failure =
        StorageFailures.of(e, "Filling", directory).orElseThrow(() -> new AssertionError(e));
    assertInstanceOf(Failure.VolumeFailed.class, failure);
    assertTrue(failure.detail().contains(words), failure::detail);
    assertTrue(failure.detail().startsWith("Filling: the storage failed: "), failure::detail);
  }
}
