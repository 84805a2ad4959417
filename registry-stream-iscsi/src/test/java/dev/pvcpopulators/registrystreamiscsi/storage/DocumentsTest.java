package dev.pvcpopulators.registrystreamiscsi.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the removal of directories.
final class DocumentsTest {
  private static final int ROUNDS = 20;
  private static final int DIRECTORIES = 20;
  private static final int FILES = 20;

  @TempDir Path work;

  private Path filled() throws IOException {
    Path directory = work.resolve("directory");
    for (int i = 0; i < DIRECTORIES; i++) {
      Path inner = Files.createDirectories(directory.resolve("directory-" + i));
      for (int file = 0; file < FILES; file++) {
        Files.createFile(inner.resolve("file-" + file));
      }
    }
    return directory;
  }

  /// Each thread may try to remove files and directories that the other thread has already removed.
  @Test
  void twoThreadsRemoveTheSameDirectory() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int round = 0; round < ROUNDS; round++) {
        Path directory = filled();
        List<Future<?>> removals = new ArrayList<>();
        for (int i = 0; i < both.getParties(); i++) {
          removals.add(
              threads.submit(() -> {
                var _ = both.await();
                Documents.remove(directory);
                return null;
              }));
        }
        for (Future<?> each : removals) {
          var _ = each.get();
        }
        assertFalse(Files.exists(directory));
      }
    }
  }

  @Test
  void linksAreRemovedAndNotFollowed() throws IOException {
    Path other = Files.createDirectory(work.resolve("other"));
    Files.createFile(other.resolve("file"));
    Path directory = filled();
    Files.createSymbolicLink(directory.resolve("link"), other);
    Documents.remove(directory);
    assertFalse(Files.exists(directory));
    assertTrue(Files.exists(other.resolve("file")));
    Documents.remove(directory);
    assertEquals(List.of(other), Documents.entries(work));
  }
}
