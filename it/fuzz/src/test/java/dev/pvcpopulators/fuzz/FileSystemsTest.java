package dev.pvcpopulators.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.pvcpopulators.ext4.Ext4Fuzz;
import dev.pvcpopulators.ext4.MemoryBlocks;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerFuzz;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Runs `e2fsck` on the file systems that [Ext4Fuzz] and [LayerFuzz] create from the first inputs
/// of their corpora. The two fuzz targets themselves detect leaked blocks and inodes, but no other
/// inconsistencies of a file system.
@Tag("tools")
class FileSystemsTest {
  private static final int MOST = 60;

  @TempDir private Path directory = Path.of("");

  @FunctionalInterface
  private interface Maker {
    MemoryBlocks make(byte[] input) throws IOException;
  }

  @Test
  void ofEntries() throws Exception {
    check("Ext4", Ext4Fuzz::apply);
  }

  @Test
  void ofLayers() throws Exception {
    check("Layer", LayerFuzz::apply);
  }

  private void check(String corpus, Maker maker) throws Exception {
    List<Path> inputs;
    try (Stream<Path> files = Files.list(Path.of("corpus", corpus))) {
      inputs = files.sorted().limit(MOST).toList();
    }
    assertFalse(inputs.isEmpty(), corpus);
    Path image = directory.resolve("image");
    for (Path input : inputs) {
      MemoryBlocks made = maker.make(Files.readAllBytes(input));
      try (OutputStream target = new BufferedOutputStream(Files.newOutputStream(image))) {
        made.writeTo(target);
      }
      Process e2fsck =
          new ProcessBuilder("e2fsck", "-f", "-n", image.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(e2fsck.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, e2fsck.waitFor(), input + ": " + said);
    }
  }
}
