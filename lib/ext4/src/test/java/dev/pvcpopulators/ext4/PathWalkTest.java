package dev.pvcpopulators.ext4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.ext4.structure.UnrepresentableException;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Tests paths that change while a layer is applied.
@Tag("tools")
class PathWalkTest {
  private static MemoryDevice disk(Layer.Content content) throws IOException {
    MemoryDevice disk = MemoryDevice.ofSize(16 << 20);
    Ext4.format(disk, new Geometry(16 << 20));
    Layer.applyUnchecked(disk, content);
    return disk;
  }

  private static boolean has(BlockDevice disk, String path) throws IOException {
    return TreeReader.open(disk).file(Layer.path(path), 100).isPresent();
  }

  @Test
  void goesTheNewWayWhereALinkTookThePlaceOfADirectory() throws IOException {
    MemoryDevice disk =
        disk(layer ->
            layer
                .file("a/b/first", "1")
                .directory("c/b")
                .link("a", "c")
                .file("a/b/second", "2")
                .directory("a")
                .file("a/b/third", "3"));
    assertTrue(has(disk, "c/b/second") && has(disk, "a/b/third"));
    assertTrue(!has(disk, "a/b/second") && !has(disk, "c/b/third"));
  }

  @Test
  void makesTheWayAgainThatWasHidden() throws IOException {
    MemoryDevice disk = disk(layer -> layer.file("a/b/low", "1").file("d/e/f/low", "1"));
    Layer.applyUnchecked(
        disk,
        layer ->
            layer
                .directory("a/b")
                .whiteout("a/b/low")
                .file("d/e/new", "2")
                .opaque("d")
                .file("d/e/f/new", "2")
                .whiteout("a/b")
                .file("a/b/new", "2"));
    assertTrue(has(disk, "a/b/new") && has(disk, "d/e/f/new") && has(disk, "d/e/new"));
    assertTrue(!has(disk, "a/b/low") && !has(disk, "d/e/f/low"));
  }

  @Test
  void followsLinksOfNoMoreThan4096NamesTogether() throws IOException {
    // Three links have targets with 1,301 names each, and one link has a target with 193 or 194
    // names. The sum is 4,096 or 4,097 names.
    for (int more = 0; more < 2; more++) {
      int names = 193 + more;
      MemoryDevice disk =
          disk(layer ->
              layer
                  .directory("a")
                  .link("s", "../".repeat(names - 1) + "a")
                  .link("t", "../".repeat(1300) + "s")
                  .link("u", "../".repeat(1300) + "t")
                  .link("v", "../".repeat(1300) + "u"));
      Layer.Content below = layer -> layer.file("v/f", "f");
      if (more == 0) {
        Layer.applyUnchecked(disk, below);
        assertTrue(has(disk, "a/f"));
      } else {
        UnrepresentableException refusal =
            assertThrows(UnrepresentableException.class, () -> Layer.applyUnchecked(disk, below));
        assertEquals(
            "/v/f: the symbolic links on the way contain too many names together",
            refusal.getMessage());
      }
    }
  }
}
