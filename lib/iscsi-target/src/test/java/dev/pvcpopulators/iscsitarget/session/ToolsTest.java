package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.iscsitarget.medium.FileMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.it.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the server with libiscsi's tools and QEMU.
@Tag("tools")
class ToolsTest {
  private static final int DISKS = 4;
  private static final int LENGTH = 3 * 1024 * 1024;

  @TempDir Path directory;

  private Path image(int number) throws IOException {
    byte[] content = new byte[LENGTH + number * 4096];
    new Random(number).nextBytes(content);
    return Files.write(directory.resolve("image-" + number), content);
  }

  @Test
  void readsAndWritesFourDisksOfOneTarget() throws Exception {
    Medium[] disks = new Medium[DISKS];
    for (int i = 0; i < DISKS; i++) {
      disks[i] = FileMedium.open(Files.copy(image(i), directory.resolve("disk-" + i)), true);
    }
    try (FileServer server = new FileServer(FileServer.loopback(), disks)) {
      String portal = "iscsi://127.0.0.1:" + server.portal().getPort();
      String list = Command.run("iscsi-ls", "-s", portal);
      assertTrue(list.contains("Target:" + FileServer.TARGET), list);
      for (int i = 0; i < DISKS; i++) {
        assertTrue(list.contains("Lun:" + i), list);
        String url = server.url(i);
        String image = directory.resolve("image-" + i).toString();
        assertTrue(Command.run("iscsi-inq", url).contains("PVCPOP"));
        assertTrue(
            Command.run("qemu-img", "info", "-f", "raw", url)
                .contains((LENGTH + i * 4096) + " bytes"));
        Command.run("qemu-img", "compare", "-f", "raw", "-F", "raw", image, url);
        Path copy = directory.resolve("copy-" + i);
        Command.run("qemu-img", "convert", "-f", "raw", "-O", "raw", url, copy.toString());
        assertEquals(-1, Files.mismatch(directory.resolve("image-" + i), copy));
      }

      for (int i = 0; i < DISKS; i++) {
        Path other = directory.resolve("other-" + i);
        byte[] content = new byte[LENGTH + i * 4096];
        new Random(100 + i).nextBytes(content);
        Files.write(other, content);
        Command.run(
            "qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", other.toString(), server.url(i));
        assertEquals(-1, Files.mismatch(other, directory.resolve("disk-" + i)));
      }
    }
  }
}
