package dev.pvcpopulators.registrystreamiscsi;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pvcpopulators.registrystreamiscsi.storage.Documents;
import dev.pvcpopulators.volume.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;

class LunFailuresTest {
  /// A device on which every write fails with ENOSPC (full(4)).
  private static final Path FULL = Path.of("/dev/full");

  private final LunFailures failures = new LunFailures(Path.of("/nowhere"));

  private Failure of(IOException e) {
    return failures.of(e, "Making a LUN").failure();
  }

  @Test
  void fullStorageIsKnownByItsErrorNumber() throws IOException {
    IOException full;
    try (FileChannel channel = FileChannel.open(FULL, StandardOpenOption.WRITE)) {
      full =
          assertThrows(
              IOException.class,
              () -> Documents.writeAll(channel, FULL, ByteBuffer.allocate(1), 0));
    }
    assertInstanceOf(Failure.ExceedsVolume.class, of(full));
    assertInstanceOf(Failure.ExceedsVolume.class, of(new IOException("The pull was ended", full)));
  }

  @Test
  void theReasonOfAFileSystemExceptionCountsAndOtherTextDoesNot() {
    assertInstanceOf(
        Failure.ExceedsVolume.class,
        of(new FileSystemException("/cache/luns", null, "Disk quota exceeded")));
    assertInstanceOf(
        Failure.Bug.class, of(new IOException("vms/No space left on device: no such image")));
  }

  @Test
  void missingFileDescriptorsAreNotTheRequestsMistake() {
    assertInstanceOf(
        Failure.Bug.class,
        of(new FileSystemException("/cache/luns/0", null, "Too many open files")));
  }

  @Test
  void aReadOnlyDirectoryIsTheRequestsMistake() {
    assertInstanceOf(
        Failure.InvalidRequest.class,
        of(new FileSystemException("/elsewhere", null, "Read-only file system")));
  }
}
