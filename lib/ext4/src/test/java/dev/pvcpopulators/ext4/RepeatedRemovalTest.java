package dev.pvcpopulators.ext4;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests a layer that hides a directory, adds entries to the directory, and hides it again.
@Tag("tools")
class RepeatedRemovalTest {
  @TempDir Path home;

  private DiskFile disk() throws IOException {
    DiskFile disk = DiskFile.formatted(home.resolve("disk"), 16L << 20);
    Layer.applyUnchecked(
        disk, layer -> layer.file("d/e/low", "low").file("d/low", "low").directory("empty"));
    return disk;
  }

  private static String names(DiskFile disk) throws IOException {
    return String.join(
        " ",
        disk.mounted("find . -mindepth 1 -printf '%P\\n' | LC_ALL=C sort").strip().split("\n", -1));
  }

  @Test
  void keepsInterleavedData() throws IOException {
    try (DiskFile disk = disk()) {
      Layer.apply(
          disk,
          layer ->
              layer
                  .file("d/e/mine", "1")
                  .opaque("d")
                  .file("d/e/later", "2")
                  .directory("d/new")
                  .whiteout("d")
                  .opaque("d/e")
                  .file("d/new/last", "3")
                  .whiteout("d/new")
                  .opaque("/"));
      assertEquals("d d/e d/e/later d/e/mine d/new d/new/last", names(disk));
    }
  }

  @Test
  void removesADirectoryThatWasOnlyEmptiedAtFirst() throws IOException {
    try (DiskFile disk = disk()) {
      Layer.apply(disk, layer -> layer.opaque("empty").opaque("d").whiteout("empty").whiteout("d"));
      assertEquals("", names(disk));
    }
  }

  @Test
  void knowsAnInodeThatIsUsedAgain() throws IOException {
    try (DiskFile disk = disk()) {
      Layer.apply(
          disk,
          layer ->
              layer
                  .opaque("d")
                  .file("d", "no directory any more")
                  .file("again/f", "f")
                  .whiteout("again")
                  .whiteout("d")
                  .whiteout("empty"));
      assertEquals("again again/f d", names(disk));
    }
  }
}
