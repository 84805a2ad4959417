package dev.pvcpopulators.it.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.it.disk.Initramfs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A virtual machine in one process of QEMU, without hardware virtualization. The standard output
/// of this process is the output of the guest's first serial port. [#close] kills the process.
public final class Guest implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final List<String> MACHINE =
      List.of(
          "qemu-system-x86_64",
          "-accel",
          "tcg",
          "-m",
          "384",
          "-display",
          "none",
          "-no-reboot",
          "-serial",
          "stdio");

  private static final String EXIT = "guest: exit ";

  private final Process process;
  private final Path errors;
  private final List<String> lines = new ArrayList<>();
  private boolean ended;

  private Guest(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    Thread.startVirtualThread(this::read);
  }

  /// Boots from a disk.
  ///
  /// @param directory the directory for QEMU's own messages
  /// @param url the URL of a raw disk, in a form that QEMU accepts
  public static Guest fromDisk(Path directory, String url) throws IOException {
    return start(
        directory,
        List.of("-drive", "file=" + url + ",format=raw,if=virtio,cache=none", "-nic", "none"));
  }

  /// Boots Linux with an iSCSI initiator and a network, and runs a script. The script's output
  /// becomes the guest's output. The guest reaches the host's loopback address as [#HOST]. The
  /// guest can use every other address of the host unchanged. In the guest, `/tmp/iscsid.log` is
  /// the log of the initiator's daemon.
  ///
  /// @param directory the directory for the initial file system and QEMU's own messages
  /// @param script a script for busybox's shell; the shell exits at the first command that fails
  public static Guest initiator(Path directory, String script) throws IOException {
    Path initramfs =
        Initramfs.in(directory)
            .program("iscsid")
            .program("iscsiadm")
            .program("mkfs.ext4")
            .program("e2fsck")
            .modules("virtio_pci", "virtio_net", "sd_mod", "iscsi_tcp")
            .file("etc/passwd", "root:x:0:0::/:/bin/sh\n")
            .file("etc/iscsi/initiatorname.iscsi", "InitiatorName=" + INITIATOR + "\n")
            .file("etc/iscsi/iscsid.conf", "")
            .file("script", script)
            .init(INIT)
            .pack();
    return start(
        directory,
        List.of(
            "-kernel",
            Initramfs.kernel().toString(),
            "-initrd",
            initramfs.toString(),
            // Kernel messages go to the second serial port, so that they stay out of the guest's
            // output.
            "-append",
            "console=ttyS1 panic=-1",
            "-serial",
            "file:" + directory.resolve("console"),
            // Without `tx=timer`, QEMU's network delays data until the next iSCSI NOP.
            "-netdev",
            "user,id=net",
            "-device",
            "virtio-net-pci,netdev=net,tx=timer,romfile="));
  }

  /// The name of the guest's initiator.
  public static final String INITIATOR = "iqn.2026-11.dev.pvcpopulators:guest";

  /// The address by which the guest reaches the loopback interface of the host.
  public static final String HOST = "10.0.2.2";

  private static final String INIT =
      """
      mount -t proc proc /proc
      mount -t sysfs sys /sys
      mount -t devtmpfs dev /dev
      for module in virtio_pci virtio_net sd_mod iscsi_tcp; do modprobe $module; done
      ip link set lo up
      ip link set eth0 up
      ip address add 10.0.2.15/24 dev eth0
      ip route add default via 10.0.2.2
      iscsid -f >/tmp/iscsid.log 2>&1 &
      sh -e /script >/dev/ttyS0 2>&1 </dev/null
      echo "guest: exit $?" >/dev/ttyS0
      poweroff -f
      """;

  private static Guest start(Path directory, List<String> options) throws IOException {
    List<String> command = new ArrayList<>(MACHINE);
    command.addAll(options);
    Path errors = Files.createTempFile(directory, "qemu", ".err");
    return new Guest(
        new ProcessBuilder(command)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectError(errors.toFile())
            .start(),
        errors);
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (!line.isBlank()) {
          add(line.strip());
        }
      }
    } catch (IOException e) {
      add("Reading the guest's output failed: " + e);
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

  /// Waits for a line of the guest's output that begins with the given text. Fails the test after
  /// 10 minutes, or if the output ends without such a line.
  ///
  /// @return the rest of the line
  public synchronized String await(String beginning) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      Optional<String> found =
          lines.stream().filter(line -> line.startsWith(beginning)).findFirst();
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (found.isPresent()) {
        return found.get().substring(beginning.length());
      }
      if (ended || left <= 0) {
        throw new AssertionError("The guest did not print: " + beginning + "\n" + output());
      }
      wait(left);
    }
  }

  /// Waits until the script of a guest from [#initiator] has ended, and fails the test if the
  /// script failed.
  public Guest ok() throws IOException, InterruptedException {
    if (!await(EXIT).equals("0")) {
      throw new AssertionError("The guest's script failed\n" + output());
    }
    return this;
  }

  /// Waits until the guest has powered off and QEMU has ended, or fails the test after 10 minutes.
  /// QEMU logs out of the iSCSI sessions of its disks before it ends.
  public void awaitEnd() throws IOException, InterruptedException {
    if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("The guest did not power off\n" + output());
    }
  }

  /// Returns the guest's output, and QEMU's own messages.
  public synchronized String output() throws IOException {
    return String.join("\n", lines) + "\n" + Files.readString(errors);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
