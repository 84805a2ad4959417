package dev.pvcpopulators.ext4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("tools")
class Ext4Test {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  @TempDir Path home;

  @ParameterizedTest
  @ValueSource(
      longs = {
        16 * MIB,
        17 * MIB,
        127 * MIB,
        128 * MIB,
        129 * MIB,
        GIB,
        10 * GIB,
        16 * GIB,
        16 * GIB + MIB,
        16 * GIB + 2 * MIB,
        16 * GIB + 3 * MIB,
        20 * GIB,
        300 * GIB
      })
  void emptyFileSystemIsClean(long size) throws IOException {
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), size)) {
      disk.check();
      assertEquals(
          "drwxr-xr-x 0:0 2 1970-01-01 .\n",
          disk.mounted("find . -printf '%M %U:%G %n %TY-%Tm-%Td %p\\n'"));
    }
  }

  @Test
  void freshTenGibibytesTakeAtMostElevenBlocks() throws IOException {
    try (DiskFile disk = DiskFile.formatted(home.resolve("disk"), 10 * GIB)) {
      assertTrue(disk.writtenBlocks() <= 11, "blocks: " + disk.writtenBlocks());
    }
  }

  @Test
  void sameGeometryGivesTheSameBytes() throws IOException {
    try (DiskFile one = DiskFile.formatted(home.resolve("one"), 64 * MIB);
        DiskFile other = DiskFile.formatted(home.resolve("other"), 64 * MIB)) {
      assertEquals(-1, Files.mismatch(one.path(), other.path()));
    }
  }
}
