package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Boots disks that mke2fs and `qemu-img` made. Each image contains the program `/busybox-app`, but
/// no shell, no user database, and no directories for mount points.
@Tag("tools")
class MachineBootTest {
  /// The path of the image's program. The program is a copy of busybox. Because the name of this
  /// copy begins with `busybox`, the copy runs the applet that its first argument names.
  private static final String PROGRAM = "/busybox-app";

  @TempDir Path directory;

  private Path tree() throws IOException {
    Path tree = Files.createDirectories(directory.resolve("tree"));
    Files.copy(QemuMachine.kernel().busybox(), tree.resolve(PROGRAM.substring(1)));
    assertTrue(tree.resolve(PROGRAM.substring(1)).toFile().setExecutable(true, false));
    return tree;
  }

  private static GuestProcess shell(String script) {
    return GuestProcesses.of(PROGRAM, "sh", "-c", script);
  }

  @Test
  void theProcessIsStartedAsInAContainer() throws Exception {
    Path tree = tree();
    Files.createDirectories(tree.resolve("data/real"));
    // The guest must resolve an absolute link from the root of the image, not from the root of the
    // initial file system.
    Files.createSymbolicLink(tree.resolve("srv"), Path.of("/data/real"));
    Files.createDirectories(tree.resolve("etc"));
    Files.createSymbolicLink(tree.resolve("etc/resolv.conf"), Path.of("/run/resolver/conf"));
    Files.createDirectories(tree.resolve("run/resolver"));
    Files.writeString(tree.resolve("etc/hosts"), "the image's own\n");
    QemuMachine.disk(tree, directory);
    List<String> environment =
        new ArrayList<>(List.of("PATH=/bin", "HOME=/", "A=it's \"q\" $x `y`"));
    environment.add("B.c-d=first\nsecond\n");
    environment.add("UTF=grüße €\uD83D\uDE00\\");
    environment.add("-i=option");
    environment.add("EMPTY=");
    environment.add("LONG=" + "0123456789abcdé ".repeat(6_400));
    String script =
        """
        echo "env=$(sha256sum </proc/1/environ)"
        echo "arguments=$(sha256sum </proc/1/cmdline)"
        echo "id=$(id)"
        echo "pwd=$(pwd -P) $(stat -c %u:%g .)"
        echo "hostname=$(hostname)"
        echo "process=$(grep -E 'SigIgn|CapBnd|Umask|NSsid' /proc/self/status | tr -d '\\t' | tr '\\n' ' ')"
        leaked=
        # Descriptors from 10 on belong to the shell.
        for i in 3 4 5 6 7 8 9; do [ ! -e /proc/self/fd/$i ] || leaked="$leaked $i"; done
        echo "descriptors=$leaked"
        echo "hosts=$(tail -n 1 /etc/hosts | tr '\\t' ' ')"
        echo "resolver=$(cat /etc/resolv.conf)"
        echo "name=$(cat /etc/hostname)"
        echo "tty=$(tty)"
        echo "stdout=again" >/dev/stdout
        echo "console=too" >/dev/console
        echo "files=$(ulimit -n)"
        echo "namespace=$(unshare -U cat /proc/self/status | grep -c ^NSpid)"
        echo "address=$(ip -4 addr show eth0 | grep -o 'inet [0-9.]*')"
        echo "loopback=$(ip -4 addr show lo | grep -o 'inet [0-9.]*')"
        echo "shm=$(stat -c %a /dev/shm) tmp=$(stat -c %a /tmp)"
        echo "links=$(readlink /dev/stdin) $(readlink /dev/fd)"
        echo "sys=$(cat /sys/class/net/lo/mtu)"
        exit 42
        """;
    GuestProcess guest =
        new GuestProcess(
            List.of(PROGRAM, "sh", "-c", script, "", "it's an\nargument é"),
            environment,
            "/srv/made/here",
            65_532,
            1_000,
            List.of(5_000L, 2_000_000_000L),
            "box",
            List.of(),
            StopSignal.DEFAULT);
    try (QemuMachine machine =
        QemuMachine.boot(directory, guest, List.of(), Map.of("APPEND", "pvcp.terminal"))) {
      assertEquals(42, machine.exitCode(), machine::output);
      assertEquals("42", machine.await("pvc-populators: exit "));
      assertEquals(sha256(environment) + "  -", machine.await("env="), machine::output);
      assertEquals(sha256(guest.arguments()) + "  -", machine.await("arguments="));
      assertEquals("uid=65532 gid=1000 groups=1000,5000,2000000000", machine.await("id="));
      assertEquals("/data/real/made/here 0:0", machine.await("pwd="));
      assertEquals("box", machine.await("hostname="));
      assertEquals(
          "Umask:0022 NSsid:1 SigIgn:0000000000000000 CapBnd:000001ffffffffff ",
          machine.await("process="));
      assertEquals("", machine.await("descriptors="));
      assertEquals("10.0.2.15 box", machine.await("hosts="));
      assertEquals("nameserver 10.0.2.3", machine.await("resolver="));
      assertEquals("box", machine.await("name="));
      assertEquals("/dev/ttyS0", machine.await("tty="));
      assertEquals("again", machine.await("stdout="));
      assertEquals("too", machine.await("console="));
      assertEquals("1048576", machine.await("files="));
      assertEquals("1", machine.await("namespace="));
      assertEquals("inet 10.0.2.15", machine.await("address="));
      assertEquals("inet 127.0.0.1", machine.await("loopback="));
      assertEquals("1777 tmp=1777", machine.await("shm="));
      assertEquals("/proc/self/fd/0 /proc/self/fd", machine.await("links="));
      assertEquals("65536", machine.await("sys="));
    }
    QemuMachine.check(directory, "disk.qcow2");
    // The image's own `/etc/hosts` is unchanged.
    Path raw = directory.resolve("after.raw");
    Command.run("qemu-img", "convert", "-O", "raw", directory + "/disk.qcow2", raw.toString());
    String hosts = Command.run("debugfs", "-R", "cat /etc/hosts", raw.toString());
    assertTrue(hosts.endsWith("the image's own\n"), hosts);
  }

  private static String sha256(List<String> strings) throws NoSuchAlgorithmException {
    byte[] bytes = (String.join("\0", strings) + "\0").getBytes(UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  @Test
  @Tag("nightly")
  void aServerAnswersThroughAForwardedPortAndIsKilledWhereItIgnoresTheButton() throws Exception {
    Path tree = tree();
    Files.createDirectories(tree.resolve("www"));
    Files.writeString(tree.resolve("www/index.html"), "hello from the image");
    QemuMachine.disk(tree, directory);
    // Process 1 of a PID namespace receives SIGTERM only if this process has a handler.
    GuestProcess guest =
        GuestProcesses.of(
            1_000,
            List.of("PATH=/"),
            "/",
            "busybox-app",
            "sh",
            "-c",
            // httpd opens its port before it becomes a background process.
            "httpd -h /www && echo ready; while :; do sleep 1; done");
    int port = FreePort.any();
    Map<String, String> settings =
        Map.of("PORT_80", Integer.toString(port), "PORT_81", "", "APPEND", "pvcp.grace=1");
    try (QemuMachine machine =
            QemuMachine.boot(directory, guest, List.of("80/tcp", "81/tcp"), settings);
        HttpClient client = HttpClient.newHttpClient()) {
      machine.await("127.0.0.1:" + port + " is port 80/tcp");
      machine.await("ready");
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
              .timeout(Duration.ofMinutes(10))
              .build();
      assertEquals(
          "hello from the image",
          client.send(request, HttpResponse.BodyHandlers.ofString()).body());
      machine.pressPowerButton();
      assertEquals(137, machine.exitCode(), machine::output);
    }
    QemuMachine.check(directory, "disk.qcow2");
  }

  @Test
  void volumesAreKeptAndAReadOnlyDiskStaysAsItIs() throws Exception {
    Path tree = tree();
    Files.createDirectories(tree.resolve("var/lib/some data"));
    Files.writeString(tree.resolve("var/lib/some data/seed"), "from the image\n");
    QemuMachine.disk(tree, directory);
    Command.run("qemu-img", "create", "-f", "qcow2", directory + "/data.qcow2", "32M");
    List<String> volumes = List.of("/new", "/var/lib/some data");
    GuestProcess first =
        GuestProcesses.withVolumes(
            shell(
                """
                trap 'echo stopping; exit 33' USR1
                echo kept >'/var/lib/some data/mine'
                echo kept >/new/mine
                echo gone >/other
                cat '/var/lib/some data/seed'
                echo ready
                while :; do sleep 1; done
                """),
            volumes,
            "SIGUSR1");
    try (QemuMachine machine = QemuMachine.boot(directory, first, List.of(), Map.of())) {
      machine.await("from the image");
      machine.await("ready");
      machine.pressPowerButton();
      machine.await("stopping");
      assertEquals(33, machine.exitCode(), machine::output);
    }
    QemuMachine.check(directory, "disk.qcow2");
    QemuMachine.check(directory, "data.qcow2");

    byte[] before = Files.readAllBytes(directory.resolve("disk.qcow2"));
    GuestProcess second =
        GuestProcesses.withVolumes(
            shell(
                """
                cat '/var/lib/some data/seed' '/var/lib/some data/mine' /new/mine /other
                echo >/written && echo "root=$(head -n 1 /proc/mounts)"
                """),
            volumes,
            "SIGTERM");
    try (QemuMachine machine =
        QemuMachine.boot(directory, second, List.of(), Map.of("READ_ONLY", "yes"))) {
      assertEquals(0, machine.exitCode(), machine::output);
      assertTrue(machine.await("root=").contains("overlay"), machine::output);
      assertTrue(machine.output().contains("from the image\nkept\nkept\ngone\n"), machine::output);
    }
    assertArrayEquals(before, Files.readAllBytes(directory.resolve("disk.qcow2")));
    QemuMachine.check(directory, "data.qcow2");
  }

  @Test
  void stdinIsAtItsEndUnlessATerminalIsAskedFor() throws Exception {
    QemuMachine.disk(tree(), directory);
    GuestProcess guest =
        shell(
            """
            echo "read=$(cat | wc -c)"
            echo "stdin=$(readlink /proc/self/fd/0) stdout=$(readlink /proc/1/fd/1)"
            """);
    try (QemuMachine machine = QemuMachine.boot(directory, guest, List.of(), Map.of())) {
      assertEquals("0", machine.await("read="));
      assertEquals("/dev/null stdout=/dev/ttyS0", machine.await("stdin="));
      assertEquals(0, machine.exitCode(), machine::output);
    }
  }

  @Test
  @Tag("nightly")
  void aProgramForAnotherProcessorIs126() throws Exception {
    Path tree = tree();
    Path foreign = tree.resolve("foreign");
    // The first 20 bytes of an ELF header with the machine type EM_S390.
    Files.writeString(foreign, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\26\0");
    assertTrue(foreign.toFile().setExecutable(true, false));
    QemuMachine.disk(tree, directory);
    try (QemuMachine machine =
        QemuMachine.boot(directory, GuestProcesses.of("/foreign"), List.of(), Map.of())) {
      assertEquals(126, machine.exitCode(), machine::output);
      machine.await("pvc-populators: /foreign cannot be executed");
    }
  }

  @Test
  @Tag("nightly")
  void aProgramThatIsNotThereIs127AndNothingElseIsSaid() throws Exception {
    QemuMachine.disk(tree(), directory);
    // The image has no program `sh`. The guest must not run the applet `sh` of busybox instead.
    GuestProcess guest = GuestProcesses.of("sh", "-c", "echo wrong");
    try (QemuMachine machine = QemuMachine.boot(directory, guest, List.of(), Map.of())) {
      assertEquals(127, machine.exitCode(), machine::output);
      machine.await("pvc-populators: sh: not found in /bin");
      assertFalse(machine.output().contains("wrong"), machine::output);
    }
  }

  @Test
  void aDiskThatCannotBeMountedIs125() throws Exception {
    Command.run("qemu-img", "create", "-f", "qcow2", directory + "/disk.qcow2", "16M");
    try (QemuMachine machine =
        QemuMachine.boot(directory, GuestProcesses.of("x"), List.of(), Map.of())) {
      assertEquals(125, machine.exitCode(), machine::output);
      machine.await("pvc-populators: /dev/vda cannot be mounted");
    }
  }
}
