package dev.pvcpopulators.imagetoqcow2layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.pvcpopulators.imagetoqcow2layers.machine.ForeignDirectoryException;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StoreFailuresTest {
  private static final Path STORE = Path.of("/tmp");

  private static Optional<Failure> of(IOException e) {
    return StoreFailures.of(e, "Converting it", STORE);
  }

  @Test
  void aFullDiskIsNoDefect() {
    String reason = "No space left on device";
    for (IOException e :
        new IOException[] {
          new FileSystemException("/kernel/vmlinuz", "/tmp/images/x/vmlinuz", reason),
          new IOException(reason),
          new FileSystemException("/tmp/a", null, "Disk quota exceeded"),
        }) {
      Failure.ExceedsVolume full =
          assertInstanceOf(Failure.ExceedsVolume.class, of(e).orElseThrow());
      assertEquals(true, full.full());
    }
  }

  @Test
  void reportsAReadOnlyStore() {
    for (IOException e :
        new IOException[] {
          new FileSystemException("/tmp/layers", null, "Operation not permitted"),
          new IOException("Operation not permitted"),
        }) {
      assertInstanceOf(Failure.InvalidRequest.class, of(e).orElseThrow());
    }
    assertInstanceOf(
        Failure.InvalidRequest.class, of(new AccessDeniedException("/tmp/layers")).orElseThrow());
    assertInstanceOf(
        Failure.VolumeNotEmpty.class, of(new ForeignDirectoryException("x")).orElseThrow());
  }

  @Test
  void aStoreThatHasTurnedReadOnlyIsNoMistakeOfTheRequest() {
    String reason = "Read-only file system";
    for (IOException e :
        new IOException[] {
          new FileSystemException("/tmp/layers", null, reason), new IOException(reason),
        }) {
      assertInstanceOf(Failure.VolumeFailed.class, of(e).orElseThrow());
    }
  }

  @Test
  void otherFailuresAreNotStorageFailures() {
    assertEquals(Optional.empty(), of(new AccessDeniedException("/elsewhere")));
    assertEquals(
        Optional.empty(), of(new FileSystemException("/tmp/a", null, "Input/output error")));
    assertEquals(Optional.empty(), of(new IOException()));
  }
}
