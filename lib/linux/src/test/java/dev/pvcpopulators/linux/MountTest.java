package dev.pvcpopulators.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountTest {
  /// Real lines from Linux 6.18, among them an aborted ext4, a read-only mount point of a writable
  /// ext4, and ext4 file systems that were mounted read-only.
  private static final String TABLE =
      """
      27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
      30 27 0:22 / /proc rw,nosuid,nodev,noexec,relatime shared:3 - proc proc rw
      43 27 7:1 / /mnt/aborted rw,relatime - ext4 /dev/loop1 rw,abort,emergency_ro
      44 27 7:2 / /mnt/bound ro,relatime - ext4 /dev/loop2 rw
      45 27 7:3 / /mnt/of\\040two\\134words ro,noatime - ext4 /dev/loop3 ro
      46 44 7:4 / /mnt/bound/below rw,relatime - ext4 /dev/loop4 rw
      47 27 7:5 / /mnt/twice rw,relatime - ext4 /dev/loop5 rw
      48 47 7:6 / /mnt/twice ro,relatime - ext4 /dev/loop6 ro
      """;

  @TempDir private Path directory = Path.of("");

  private static Mount of(String path) throws IOException {
    return Mount.of(Path.of(path), TABLE.lines());
  }

  @Test
  void distinguishesAReadOnlyMountFromAFailedFileSystem() throws IOException {
    assertFalse(of("/mnt/aborted/volume").readOnly());
    assertEquals(new Mount(Path.of("/mnt/bound"), Set.of("ro", "relatime")), of("/mnt/bound/a"));
    assertEquals(true, of("/mnt/bound/a").readOnly());
  }

  @Test
  void theNearestMountCountsAndTheLastOfSeveralInOnePlace() throws IOException {
    assertFalse(of("/mnt/bound/below/a").readOnly());
    assertEquals(Path.of("/mnt/bound"), of("/mnt/bound/belowground").point());
    assertEquals(true, of("/mnt/twice").readOnly());
    assertEquals(Path.of("/"), of("/mnt").point());
  }

  @Test
  void namesMayHaveSpacesAndBackslashes() throws IOException {
    assertEquals(true, of("/mnt/of two\\words/a").readOnly());
  }

  @Test
  void thisMachinesTableIsRead() throws IOException {
    assertEquals(Path.of("/proc"), Mount.of(Path.of("/proc/self/mountinfo")).point());
    Path file = Files.writeString(directory.resolve("written"), "");
    assertFalse(Mount.of(file).readOnly());
    // `/proc/self/root` is a link to the root directory.
    assertEquals(Path.of("/"), Mount.of(Path.of("/proc/self/root")).point());
    assertThrows(NoSuchFileException.class, () -> Mount.of(directory.resolve("missing")));
  }
}
