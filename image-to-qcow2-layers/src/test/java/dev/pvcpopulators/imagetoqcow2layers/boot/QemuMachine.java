package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import dev.pvcpopulators.it.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A machine that `run.sh` boots without hardware virtualization. [#close] kills the machine.
final class QemuMachine implements AutoCloseable {
  private static final long LIMIT_SECONDS = 600;
  private static final Path KERNEL = Path.of("/var/cache/pvc-populators/guest-kernel");

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  private QemuMachine(Process process) {
    this.process = process;
    Thread.startVirtualThread(this::read);
  }

  /// Returns the kernel that `.ci/install-test-tools` unpacks.
  static GuestKernel kernel() throws IOException {
    return GuestKernel.find(KERNEL)
        .orElseThrow(() -> new AssertionError("No kernel: run .ci/install-test-tools"));
  }

  /// Makes `disk.qcow2` from a directory tree, with mke2fs and `qemu-img` instead of the code under
  /// test.
  ///
  /// @param tree the files of the image
  /// @param directory the directory of the machine
  static void disk(Path tree, Path directory) throws IOException, InterruptedException {
    Path raw = directory.resolve("disk.raw");
    Command.run(
        "mke2fs", "-q", "-t", "ext4", "-b", "4096", "-d", tree.toString(), raw.toString(), "64M");
    Command.run("qemu-img", "convert", "-O", "qcow2", raw.toString(), directory + "/disk.qcow2");
    Files.delete(raw);
  }

  /// Fails the test if the file system of a disk is inconsistent, or was not unmounted.
  static void check(Path directory, String disk) throws IOException, InterruptedException {
    Path raw = directory.resolve("check.raw");
    Command.run("qemu-img", "convert", "-O", "raw", directory + "/" + disk, raw.toString());
    Command.run("e2fsck", "-fn", raw.toString());
    String features = Command.run("dumpe2fs", "-h", raw.toString());
    if (features.contains("needs_recovery")) {
      throw new AssertionError("The disk was not unmounted\n" + features);
    }
    Files.delete(raw);
  }

  /// Boots a machine with the disk `disk.qcow2` of a directory. If the directory contains
  /// `data.qcow2`, the machine also has this disk.
  ///
  /// @param settings variables for `run.sh`
  static QemuMachine boot(
      Path directory, GuestProcess guest, List<String> ports, Map<String, String> settings)
      throws IOException {
    GuestKernel kernel = kernel();
    Files.copy(kernel.vmlinuz(), directory.resolve("vmlinuz"), REPLACE_EXISTING);
    Initrd.write(directory.resolve("initrd"), kernel, guest);
    Machine machine =
        new Machine(
            "box",
            "box-claim",
            "example.org/box:1",
            "sha256:0",
            List.of(),
            64L << 20,
            guest,
            ports,
            Optional.of(kernel.release()),
            Files.exists(directory.resolve("data.qcow2")));
    Files.writeString(directory.resolve("run.sh"), machine.qemuScript());
    ProcessBuilder builder =
        new ProcessBuilder("sh", directory.resolve("run.sh").toString())
            .directory(Path.of("/").toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile());
    builder.environment().put("ACCELERATOR", "tcg");
    builder.environment().put("MEMORY", "256");
    builder.environment().putAll(settings);
    return new QemuMachine(builder.start());
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line);
      }
    } catch (IOException e) {
      add("Reading the output failed: " + e);
    } finally {
      end();
    }
  }

  private synchronized void add(String line) {
    lines.add(line);
    notifyAll();
  }

  private synchronized void end() {
    ended = true;
    notifyAll();
  }

  /// Waits until the machine has printed a line that begins with `beginning`.
  ///
  /// @return the rest of the line
  /// @throws AssertionError if the machine ends without such a line, or after ten minutes
  synchronized String await(String beginning) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (true) {
      Optional<String> found =
          lines.stream().filter(line -> line.startsWith(beginning)).findFirst();
      if (found.isPresent()) {
        return found.get().substring(beginning.length());
      }
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (ended || left <= 0) {
        throw new AssertionError("No line begins with: " + beginning + "\n" + output());
      }
      wait(left);
    }
  }

  /// Sends SIGTERM to `run.sh`, which then sends `system_powerdown` to QEMU.
  void pressPowerButton() {
    // `Process.destroy` also closes the stream of the machine's output. `ProcessHandle.destroy`
    // does not close this stream.
    process.toHandle().destroy();
  }

  /// Waits until the machine has ended.
  ///
  /// @return the exit code of `run.sh`
  int exitCode() throws InterruptedException {
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("Time-out while waiting for the end of the machine\n" + output());
    }
    synchronized (this) {
      while (!ended) {
        wait();
      }
    }
    return process.exitValue();
  }

  synchronized String output() {
    return String.join("\n", lines);
  }

  @Override
  public void close() {
    // The process of `run.sh` has only one child: QEMU.
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }
}
