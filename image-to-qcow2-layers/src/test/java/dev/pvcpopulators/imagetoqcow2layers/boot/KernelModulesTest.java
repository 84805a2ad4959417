package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelModulesTest {
  @TempDir Path directory;

  private KernelModules read(String dependencies, String builtIn) throws IOException {
    Files.writeString(directory.resolve("modules.dep"), dependencies);
    Files.writeString(directory.resolve("modules.builtin"), builtIn);
    return KernelModules.read(directory);
  }

  @Test
  void loadsDependenciesFirst() throws Exception {
    KernelModules modules =
        read(
            """
            kernel/a.ko: kernel/b.ko kernel/with-hyphen.ko.xz kernel/d.ko

            kernel/b.ko: kernel/d.ko kernel/with-hyphen.ko.xz
            kernel/with-hyphen.ko.xz: kernel/d.ko
            kernel/d.ko:
            kernel/needs-builtin.ko: kernel/in.ko
            kernel/circle1.ko: kernel/circle2.ko
            kernel/circle2.ko: kernel/circle1.ko
            kernel/lost.ko: kernel/nowhere.ko
            """,
            "kernel/in.ko\nkernel/also-in.ko\n");
    assertEquals(List.of("d", "with_hyphen", "b", "a"), modules.loadOrder("a"));
    assertEquals(List.of("needs_builtin"), modules.loadOrder("needs_builtin"));
    assertEquals(List.of(), modules.loadOrder("in"));
    assertEquals(List.of("circle2", "circle1"), modules.loadOrder("circle1"));
    assertTrue(modules.has("with_hyphen") && modules.has("also_in"));
    assertFalse(modules.has("nowhere"));
    for (String missing : List.of("nowhere", "lost")) {
      IOException thrown =
          assertThrows(NoSuchFileException.class, () -> modules.loadOrder(missing));
      assertTrue(
          String.valueOf(thrown.getMessage()).contains("no module nowhere"), thrown.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource({"xz, '--check=crc32'", "zstd, '--rm'", "gzip, '-9'"})
  @Tag("tools")
  void decompresses(String tool, String option) throws Exception {
    byte[] content = "what the kernel takes".repeat(1000).getBytes(UTF_8);
    Path file = Files.write(directory.resolve("m.ko"), content);
    Command.run(tool, option, file.toString());
    String suffix =
        switch (tool) {
          case "xz" -> ".xz";
          case "zstd" -> ".zst";
          default -> ".gz";
        };
    assertArrayEquals(content, read("m.ko" + suffix + ":\n", "").content("m"));
  }

  @Test
  void boundsReads() throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve("m.ko").toFile(), "rw")) {
      file.setLength((64L << 20) + 1);
    }
    KernelModules modules = read("m.ko:\n", "");
    assertThrows(FileSystemException.class, () -> modules.content("m"));
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve("modules.dep").toFile(), "rw")) {
      file.setLength((16L << 20) + 1);
    }
    assertThrows(FileSystemException.class, () -> KernelModules.read(directory));
  }
}
