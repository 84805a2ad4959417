package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuestKernelTest {
  @TempDir Path directory;

  private Path file(String name) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "");
  }

  private Path busybox(String name) throws IOException {
    Path file = file(name);
    Files.delete(file);
    return Files.copy(QemuMachine.kernel().busybox(), file);
  }

  private GuestKernel found() throws IOException {
    return GuestKernel.find(directory).orElseThrow();
  }

  @Test
  @Tag("tools")
  void takesTheNewestOfDebiansPackages() throws Exception {
    for (String release :
        List.of("6.1.0-9-cloud-amd64", "6.1.0-41-cloud-amd64", "5.10.0-99-amd64")) {
      file("boot/vmlinuz-" + release);
      file("lib/modules/" + release + "/modules.dep");
    }
    // The search must skip a kernel without modules, and modules without a kernel.
    file("boot/vmlinuz-7.0.0-1-amd64");
    file("lib/modules/8.0.0-1-amd64/modules.dep");
    Files.createSymbolicLink(directory.resolve("vmlinuz"), Path.of("boot/vmlinuz-5.10.0-99-amd64"));
    Path busybox = busybox("bin/busybox");
    assertEquals(
        new GuestKernel(
            directory.resolve("boot/vmlinuz-6.1.0-41-cloud-amd64"),
            directory.resolve("lib/modules/6.1.0-41-cloud-amd64"),
            busybox,
            "6.1.0-41-cloud-amd64"),
        found());
  }

  @Test
  @Tag("tools")
  void takesOneKernelBesideItsModules() throws Exception {
    Path vmlinuz = file("vmlinuz");
    file("usr/lib/modules/6.12.1/modules.dep");
    Path busybox = busybox("usr/bin/busybox");
    assertEquals(
        new GuestKernel(vmlinuz, directory.resolve("usr/lib/modules/6.12.1"), busybox, "6.12.1"),
        found());
  }

  @Test
  void takesThisMachinesBusyboxWhereTheDirectoryHasNoStaticOne() throws Exception {
    file("vmlinuz");
    file("lib/modules/6.12.1/modules.dep");
    assertTrue(found().busybox().endsWith("bin/busybox"));
    // `cat` is linked dynamically. The guest cannot use a dynamically linked program.
    Files.copy(Path.of("/bin/cat"), file("bin/busybox").resolveSibling("cat"));
    Files.move(directory.resolve("bin/cat"), directory.resolve("bin/busybox"), REPLACE_EXISTING);
    assertFalse(found().busybox().startsWith(directory));
  }

  @Test
  void findsNothingWhereSomethingIsMissing() throws Exception {
    assertEquals(Optional.empty(), GuestKernel.find(directory));
    assertEquals(Optional.empty(), GuestKernel.find(directory.resolve("missing")));
    file("vmlinuz");
    Files.createDirectories(directory.resolve("lib/modules/6.12.1"));
    assertEquals(Optional.empty(), GuestKernel.find(directory));
  }

  @Test
  void ordersVersions() {
    List<String> ordered =
        List.of("5.10.0-99", "6.1.0", "6.1.0-9-cloud", "6.1.0-41", "6.1.0-41-cloud", "6.12.0-1");
    for (int i = 0; i < ordered.size(); i++) {
      for (int j = 0; j < ordered.size(); j++) {
        assertEquals(
            Integer.signum(Integer.compare(i, j)),
            Integer.signum(GuestKernel.BY_VERSION.compare(ordered.get(i), ordered.get(j))),
            ordered.get(i) + " and " + ordered.get(j));
      }
    }
  }

  @Test
  @Tag("tools")
  void knowsStaticPrograms() throws Exception {
    assertTrue(ElfFile.linkedStatically(QemuMachine.kernel().busybox()));
    assertFalse(ElfFile.linkedStatically(Path.of("/bin/cat")));
    assertFalse(ElfFile.linkedStatically(file("empty")));
    byte[] header = new byte[64];
    System.arraycopy(new byte[] {0x7f, 'E', 'L', 'F', 2, 1}, 0, header, 0, 6);
    header[56] = -1;
    header[57] = -1;
    header[54] = -1;
    header[55] = -1;
    header[32] = 64;
    assertFalse(ElfFile.linkedStatically(Files.write(directory.resolve("hostile"), header)));
    header[39] = -1;
    assertFalse(ElfFile.linkedStatically(Files.write(directory.resolve("hostile"), header)));
  }
}
