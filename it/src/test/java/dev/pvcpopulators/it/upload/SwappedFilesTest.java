package dev.pvcpopulators.it.upload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Answer;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Rounds;
import dev.pvcpopulators.it.Seed;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.Recipe;
import dev.pvcpopulators.it.disk.VolumeDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks uploads while another process with access to the claim replaces new files with symbolic
/// links to a file of the pod.
@Tag("tools")
final class SwappedFilesTest {
  private static final int UPLOADS_EACH = Rounds.of(1, 3);
  private static final Seed SEED = Seed.of("SwappedFilesTest");

  @TempDir private Path work = Path.of("");

  /// Uploads a raw disk, which the service writes while the upload arrives, and two images that the
  /// service converts with `qemu-img`.
  @Test
  void aFileOfThePodIsNeitherReadNorWritten() throws Exception {
    Path neighbour = Files.createDirectory(work.resolve("pod"));
    Path secret = neighbour.resolve("secret");
    byte[] bytes = new byte[1 << 20];
    SEED.random().nextBytes(bytes);
    Files.write(secret, bytes);
    VolumeDirectory volume = VolumeDirectory.in(work, "volume");
    List<Path> images =
        List.of(image("raw with holes"), image("VMDK, monolithicSparse"), image("VDI, dynamic"));
    AtomicBoolean over = new AtomicBoolean();
    try (Service service = Launch.on(volume.path()).with("POPULATOR_OVERWRITE", "true").start()) {
      CompletableFuture<Integer> swaps =
          CompletableFuture.supplyAsync(() -> swap(volume.path(), secret, over));
      try {
        for (int upload = 0; upload < UPLOADS_EACH * images.size(); upload++) {
          byte[] image = Files.readAllBytes(images.get(upload % images.size()));
          Answer answer = service.http().put("/upload", image);
          if (answer.status() != 201) {
            answer.problem();
          }
          service.http().delete("/volume");
        }
      } finally {
        over.set(true);
      }
      assertTrue(swaps.get() > 0, "no file was replaced");
      assertArrayEquals(bytes, Files.readAllBytes(secret));
    }
  }

  private Path image(String recipe) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(work, "image");
    return Recipe.named(recipe).make(directory, SEED.random());
  }

  /// Replaces new files with symbolic links to the file `secret` until `over` is true.
  ///
  /// @return the number of replaced files
  private static int swap(Path volume, Path secret, AtomicBoolean over) {
    int swaps = 0;
    while (!over.get()) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(volume)) {
        for (Path entry : entries) {
          if (!Files.isSymbolicLink(entry) && Files.deleteIfExists(entry)) {
            Files.createSymbolicLink(entry, secret);
            swaps++;
          }
        }
      } catch (DirectoryIteratorException | NoSuchFileException | FileAlreadyExistsException _) {
        // The service has renamed, deleted or created the file first.
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return swaps;
  }
}
