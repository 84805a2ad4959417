package dev.pvcpopulators.it.container;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.LoopDevice;
import dev.pvcpopulators.it.Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How a service is started as a container of its image, in the way of a pod that the Pod Security
/// Standard "restricted" admits: the image's user, no capability, no new privileges, the runtime's
/// default list of system calls, and nothing that can be written but the volume. The network is
/// this machine's, on the loopback address.
///
/// @param service the name of its module
/// @param settings environment variables
/// @param mounts what it sees of this machine besides its volume
/// @param device a block device that it sees as [#DEVICE]; empty for none
/// @param memoryBytes limit of its cgroup; 0 for none
/// @param arguments its own arguments
public record Container(
    String service,
    Map<String, String> settings,
    List<Mount> mounts,
    List<LoopDevice> device,
    long memoryBytes,
    List<String> arguments) {
  /// Where a Filesystem volume is.
  public static final String VOLUME = "/volume";

  /// Where a Block volume is.
  public static final String DEVICE = "/dev/volume";

  /// The user and group that images of KubeVirt run as.
  public static final int USER = 107;

  private static final String TERMINATION_LOG = "/dev/termination-log";
  private static final String OF_EVERYBODY = "rw-rw-rw-";

  /// What a volume looks like to whom `fsGroup` lets write: setgid, so that files are the group's.
  private static final int GROUP_WRITABLE = 02775;

  /// A file or directory of this machine in a container.
  public record Mount(Path source, String target, boolean writable) {}

  /// How a Job ended.
  ///
  /// @param message what the kubelet would show
  public record Ended(int exit, String message, String log) {
    /// As an outcome that nobody measured.
    public CopyOutcome expect(int expected) throws IOException {
      return new CopyOutcome(exit, message, log, 0, 0).expect(expected);
    }
  }

  public Container {
    settings = Map.copyOf(settings);
    mounts = List.copyOf(mounts);
    device = List.copyOf(device);
    arguments = List.copyOf(arguments);
  }

  /// A service without a volume, with nothing set but where it listens and what it answers.
  public static Container of(String service) {
    return new Container(
        service,
        Map.of(
            "POPULATOR_CLAIM_NAME", "some-pvc-name",
            "QUARKUS_HTTP_HOST", "127.0.0.1",
            "QUARKUS_HTTP_PORT", "0"),
        List.of(),
        List.of(),
        0,
        List.of());
  }

  /// As above, on a Filesystem volume, which the kubelet would have given to the group.
  public static Container on(String service, Path directory) throws IOException {
    Files.setAttribute(directory, "unix:gid", USER);
    Files.setAttribute(directory, "unix:mode", GROUP_WRITABLE);
    return of(service).mount(directory, VOLUME, true);
  }

  /// As above, on a Block volume.
  public static Container on(String service, LoopDevice volume) {
    Container container = of(service).with("POPULATOR_TARGET", DEVICE);
    return new Container(
        service,
        container.settings,
        container.mounts,
        List.of(volume),
        container.memoryBytes,
        container.arguments);
  }

  public Container with(String setting, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(setting, value);
    return new Container(service, more, mounts, device, memoryBytes, arguments);
  }

  /// Shows it a file or directory.
  ///
  /// @param target absolute
  public Container mount(Path source, String target, boolean writable) {
    List<Mount> more = new ArrayList<>(mounts);
    more.add(new Mount(source, target, writable));
    return new Container(service, settings, more, device, memoryBytes, arguments);
  }

  /// With a limit as `resources.limits.memory` makes it.
  public Container memory(long bytes) {
    return new Container(service, settings, mounts, device, bytes, arguments);
  }

  /// With these arguments behind those of the image.
  public Container arguments(String... given) {
    return new Container(service, settings, mounts, device, memoryBytes, List.of(given));
  }

  /// Starts it and waits until it listens.
  public Service start() throws IOException, InterruptedException {
    Service service = begin();
    service.awaitListening();
    return service;
  }

  /// Starts it and does not wait for anything.
  public Service begin() throws IOException {
    return Runc.begin(this);
  }

  /// Starts it as a Job.
  ///
  /// @param message where its termination message will be
  public Service beginOnce(Path message) throws IOException {
    Files.createFile(message);
    Files.setPosixFilePermissions(message, PosixFilePermissions.fromString(OF_EVERYBODY));
    return mount(message, TERMINATION_LOG, true).arguments("--once").begin();
  }

  /// Runs it as a Job to its end.
  public Ended once(Duration limit) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("it-job");
    Path message = directory.resolve("termination-log");
    try (Service job = beginOnce(message)) {
      int exit = job.awaitExit(limit);
      return new Ended(exit, Files.readString(message), job.log());
    } finally {
      Files.deleteIfExists(message);
      Files.delete(directory);
    }
  }
}
