package dev.pvcpopulators.volume.disk;

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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// By the kernel's own errors, as the JDK tells of them.
class StorageFailuresTest {
  @TempDir private Path directory = Path.of("");

  @Test
  void storageThatCannotBeReadHasFailed() throws IOException {
    // Nothing is mapped at address 0: EIO.
    try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"))) {
      assertFailed("Input/output error", () -> memory.read(ByteBuffer.allocate(1), 0));
    }
  }

  @Test
  void aDeviceThatIsGoneHasFailed() throws IOException {
    Path socket = directory.resolve("socket");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      // There is nothing behind its inode that could be opened: ENXIO.
      assertFailed("No such device or address", () -> FileChannel.open(socket));
    }
  }

  @Test
  void whatIsNotThereHasNotFailed() {
    IOException missing =
        assertThrows(IOException.class, () -> Files.size(directory.resolve("missing")));
    assertEquals(Optional.empty(), StorageFailures.of(missing, "Filling"));
  }

  private static void assertFailed(String words, Executable call) {
    IOException e = assertThrows(IOException.class, call);
    Failure failure = StorageFailures.of(e, "Filling").orElseThrow(() -> new AssertionError(e));
    assertInstanceOf(Failure.VolumeFailed.class, failure);
    assertTrue(failure.detail().contains(words), failure::detail);
    assertTrue(failure.detail().startsWith("Filling: its storage failed: "), failure::detail);
  }
}
