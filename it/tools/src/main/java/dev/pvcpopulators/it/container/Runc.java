package dev.pvcpopulators.it.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Json;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.LoopDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/// Runs each container in the foreground with runc, as the child of a runc process. The runc
/// process forwards signals, and exits with the status of the container. The tests cannot use
/// Debian's crun 1.8.1, because crun refuses hybrid cgroups.
final class Runc {
  private static final List<String> NAMESPACES = List.of("pid", "mount", "ipc", "uts");
  private static final List<String> CAPABILITIES =
      List.of("bounding", "effective", "inheritable", "permitted", "ambient");

  /// The paths in /proc and /sys that container engines hide.
  private static final List<String> MASKED =
      List.of(
          "/proc/acpi",
          "/proc/asound",
          "/proc/kcore",
          "/proc/keys",
          "/proc/latency_stats",
          "/proc/sched_debug",
          "/proc/scsi",
          "/proc/timer_list",
          "/proc/timer_stats",
          "/sys/devices/virtual/powercap",
          "/sys/firmware");

  private static final List<String> READ_ONLY =
      List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

  private static final Set<String> RUNNING = ConcurrentHashMap.newKeySet();
  private static final Path STATE = state();

  private Runc() {}

  private static Path state() {
    try {
      Path directory = Files.createTempDirectory("it-runc");
      Runtime.getRuntime().addShutdownHook(new Thread(Runc::removeAll));
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void removeAll() {
    RUNNING.forEach(Runc::remove);
    Command.run("rm", "-rf", STATE);
  }

  /// Starts a container, and does not wait until the container ends.
  static Service begin(Container container) throws IOException {
    String id = "it-" + UUID.randomUUID();
    Path bundle = Files.createDirectory(STATE.resolve(id + ".bundle"));
    Files.writeString(bundle.resolve("config.json"), config(container).toString());
    RUNNING.add(id);
    Process process =
        new ProcessBuilder(
                "runc",
                "--root",
                STATE.resolve("state").toString(),
                "run",
                "--bundle",
                bundle.toString(),
                id)
            .redirectErrorStream(true)
            .start();
    return new Service(process, false, () -> remove(id));
  }

  /// Kills a container if it still runs, and removes the files of the container.
  private static void remove(String id) {
    if (!RUNNING.remove(id)) {
      return;
    }
    Command.run("runc", "--root", STATE.resolve("state"), "delete", "--force", id);
    Command.run("rm", "-r", STATE.resolve(id + ".bundle"));
  }

  /// Returns the runtime configuration of a container: the image's configuration with the
  /// restrictions of the Pod Security Standard "restricted" (OCI runtime-spec 1.0, config.md).
  private static ObjectNode config(Container container) throws IOException {
    ContainerImage image = ContainerImage.of(container.service());
    ObjectNode config = JsonNodeFactory.instance.objectNode().put("ociVersion", "1.0.2");
    config.putObject("root").put("path", image.root().toString()).put("readonly", true);
    config.put("hostname", container.service());
    ObjectNode process = image.process(container.arguments(), container.settings());
    process.put("terminal", false).put("noNewPrivileges", true);
    ObjectNode capabilities = process.putObject("capabilities");
    CAPABILITIES.forEach(capabilities::putArray);
    config.set("process", process);
    ArrayNode mounts = config.putArray("mounts");
    mount(mounts, "proc", "/proc", "proc", "nosuid", "noexec", "nodev");
    mount(mounts, "tmpfs", "/dev", "tmpfs", "nosuid", "mode=755", "size=64k");
    mount(mounts, "tmpfs", "/dev/shm", "shm", "nosuid", "noexec", "nodev", "size=64m");
    mount(mounts, "sysfs", "/sys", "sysfs", "nosuid", "noexec", "nodev", "ro");
    // The kubelet also mounts files at /etc/hosts and /etc/resolv.conf.
    bind(mounts, new Container.Mount(Path.of("/etc/hosts"), "/etc/hosts", false));
    bind(mounts, new Container.Mount(Path.of("/etc/resolv.conf"), "/etc/resolv.conf", false));
    container.mounts().forEach(mount -> bind(mounts, mount));
    linux(config.putObject("linux"), container);
    return config;
  }

  private static void bind(ArrayNode mounts, Container.Mount mount) {
    mount(
        mounts,
        "bind",
        mount.target(),
        mount.source().toString(),
        "rbind",
        "nosuid",
        "nodev",
        mount.writable() ? "rw" : "ro");
  }

  private static void mount(
      ArrayNode mounts, String type, String target, String source, String... options) {
    ObjectNode mount = mounts.addObject();
    mount.put("type", type).put("destination", target).put("source", source);
    ArrayNode array = mount.putArray("options");
    for (String option : options) {
      array.add(option);
    }
  }

  private static void linux(ObjectNode linux, Container container) throws IOException {
    ArrayNode namespaces = linux.putArray("namespaces");
    NAMESPACES.forEach(type -> namespaces.addObject().put("type", type));
    ArrayNode masked = linux.putArray("maskedPaths");
    MASKED.forEach(masked::add);
    ArrayNode readOnly = linux.putArray("readonlyPaths");
    READ_ONLY.forEach(readOnly::add);
    linux.set("seccomp", Seccomp.withoutCapabilities());
    ObjectNode resources = linux.putObject("resources");
    // The first rule denies all devices. runc itself permits standard devices such as /dev/null.
    ArrayNode allowed = resources.putArray("devices");
    allowed.addObject().put("allow", false).put("access", "rwm");
    ArrayNode devices = linux.putArray("devices");
    for (LoopDevice volume : container.device()) {
      device(devices.addObject(), allowed.addObject(), volume);
    }
    if (container.memoryBytes() > 0) {
      // Sets `limit` and `swap` to the same value, as the kubelet does. `swap` limits the sum of
      // memory and swap, so the container cannot swap.
      resources
          .putObject("memory")
          .put("limit", container.memoryBytes())
          .put("swap", container.memoryBytes());
    }
  }

  private static void device(ObjectNode node, ObjectNode rule, LoopDevice volume)
      throws IOException {
    JsonNode numbers =
        Json.text(
            "[" + Command.run("stat", "-c", "%Hr,%Lr", volume.device().toString()).strip() + "]");
    rule.put("allow", true).put("type", "b").put("access", "rw");
    rule.set("major", numbers.get(0));
    rule.set("minor", numbers.get(1));
    node.put("path", Container.DEVICE).put("type", "b").put("fileMode", 0660);
    // Makes the container's user the owner of the device. containerd and CRI-O do the same if their
    // setting device_ownership_from_security_context is true.
    node.put("uid", Container.USER).put("gid", Container.USER);
    node.set("major", numbers.get(0));
    node.set("minor", numbers.get(1));
  }
}
