package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("tools")
class InitrdTest {
  private static final GuestProcess PROCESS =
      GuestProcesses.withVolumes(
          GuestProcesses.of(1000, List.of("PATH=/bin", "A=it's"), "/w", "app", "-x"),
          List.of("/v'", "/w"),
          "SIGQUIT");

  @TempDir Path directory;

  private Path initrd;
  private byte[] bytes;

  @BeforeEach
  void write() throws IOException {
    initrd = directory.resolve("initrd");
    Initrd.write(initrd, QemuMachine.kernel(), PROCESS);
    bytes = Files.readAllBytes(initrd);
  }

  /// Unpacks the file's two archives into one directory, as Linux does, but with gzip and cpio.
  private Path unpacked(Path file, int secondAt) throws Exception {
    Path to = Files.createDirectories(directory.resolve("unpacked"));
    Command.run(
        "sh",
        "-ec",
        "cd \"$1\"; head -c \"$3\" \"$2\" | gzip -dc | busybox cpio -idm;"
            + " tail -c +$(($3 + 1)) \"$2\" | busybox cpio -idm",
        "sh",
        to.toString(),
        file.toString(),
        Integer.toString(secondAt));
    return to;
  }

  private int secondArchive() {
    byte[] magic = {'0', '7', '0', '7', '0', '1'};
    for (int at = bytes.length - bytes.length % 4; at >= 0; at -= 4) {
      boolean name = "etc/passwd\0".equals(text(at + 110, 11));
      if (name && "070701".equals(text(at, magic.length))) {
        return at;
      }
    }
    throw new AssertionError("No second archive at a multiple of four");
  }

  private String text(int at, int length) {
    return at + length > bytes.length ? "" : new String(bytes, at, length, ISO_8859_1);
  }

  @Test
  void isTwoArchivesOneBehindTheOther() throws Exception {
    int second = secondArchive();
    assertEquals(0, second % NewcArchive.ALIGNMENT);
    Path tree = unpacked(initrd, second);
    assertArrayEquals(
        Files.readAllBytes(QemuMachine.kernel().busybox()),
        Files.readAllBytes(tree.resolve("bin/busybox")));
    assertTrue(Files.isExecutable(tree.resolve("init")));
    assertEquals(
        "5 1 crw-------", Command.run("stat", "-c", "%t %T %A", tree + "/dev/console").strip());
    assertEquals(FileTime.fromMillis(0), Files.getLastModifiedTime(tree.resolve("init")));
    for (String script :
        List.of("init", "process.sh", "dhcp.sh", "image/settings", "image/process")) {
      Command.run("busybox", "sh", "-n", tree.resolve(script).toString());
    }
    List<String> bus = Files.readAllLines(tree.resolve("modules/bus.order"));
    assertEquals(List.of("virtio_ring.ko", "virtio.ko"), bus.subList(0, 2));
    assertEquals("virtio_pci.ko", bus.getLast());
    Path virtio = QemuMachine.kernel().modules().resolve("kernel/drivers/virtio");
    for (String module : bus) {
      assertArrayEquals(
          Files.readAllBytes(virtio.resolve(module)),
          Files.readAllBytes(tree.resolve("modules").resolve(module)),
          module);
    }
    assertEquals(
        "process:x:0:1000::/:/bin/busybox\n", Files.readString(tree.resolve("etc/passwd")));
    String settings =
        Command.run(
            "busybox",
            "sh",
            "-c",
            ". \"$1\"; echo $hostname $uid $working_directory $stop_signal;"
                + " show() { echo \"<$1>\"; }; for_each_volume show",
            "sh",
            tree + "/image/settings");
    assertEquals("box 1000 /w 3\n</v'>\n</w>\n", settings);
  }

  @Test
  void sameInputGivesSameBytes() throws Exception {
    Path copy = directory.resolve("kernel");
    GuestKernel kernel = QemuMachine.kernel();
    Path modules = copy.resolve("lib/modules/" + kernel.release());
    Files.createDirectories(modules.getParent());
    Command.run("cp", "-r", kernel.modules().toString(), modules.toString());
    Files.copy(kernel.vmlinuz(), copy.resolve("vmlinuz"));
    Path again = directory.resolve("again");
    Files.writeString(again, "something that was there, and is replaced");
    Initrd.write(again, GuestKernel.find(copy).orElseThrow(), PROCESS);
    assertArrayEquals(bytes, Files.readAllBytes(again));
  }

  @Test
  void onlyTheSecondArchiveIsTheImages() throws Exception {
    Path other = directory.resolve("other");
    Initrd.write(other, QemuMachine.kernel(), GuestProcesses.of("/other"));
    byte[] others = Files.readAllBytes(other);
    int second = secondArchive();
    assertEquals(-1, mismatch(others, second));
    assertTrue(bytes.length - second < 8 << 10, () -> (bytes.length - second) + " bytes");
    assertTrue(bytes.length < 1_600_000, () -> bytes.length + " bytes");
  }

  private int mismatch(byte[] others, int length) {
    return Arrays.mismatch(bytes, 0, length, others, 0, length);
  }
}
