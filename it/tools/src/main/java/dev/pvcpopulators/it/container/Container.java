package dev.pvcpopulators.it.container;

import dev.pvcpopulators.it.CopyOutcome;
import dev.pvcpopulators.it.Launch;
import dev.pvcpopulators.it.Service;
import dev.pvcpopulators.it.disk.LoopDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A container of a service's image, with the restrictions of the Pod Security Standard
/// "restricted". The container runs as the image's user, without capabilities, without new
/// privileges, and only with the system calls that container engines permit by default. The
/// container's root file system is read-only. The container shares the network of the host. Each
/// method that changes a setting returns a changed copy.
///
/// @param service the name of the service's module
/// @param settings environment variables, which override the image's own variables
/// @param mounts files and directories of the host, including a Filesystem volume
/// @param device the Block volume, available as [#DEVICE]; empty for none
/// @param memoryBytes the memory limit of the container's cgroup; 0 for no limit
/// @param arguments the arguments after the image's entrypoint; if empty, the image's own arguments
public record Container(
    String service,
    Map<String, String> settings,
    List<Mount> mounts,
    List<LoopDevice> device,
    long memoryBytes,
    List<String> arguments) {
  /// The path of a Filesystem volume in the container.
  public static final String VOLUME = "/volume";

  /// The path of a Block volume in the container.
  public static final String DEVICE = "/dev/volume";

  /// The user ID and group ID that KubeVirt's images use.
  public static final int USER = 107;

  /// The environment variable from which the JVM's launcher reads options.
  private static final String JAVA_OPTIONS = "JDK_JAVA_OPTIONS";

  private static final String TERMINATION_LOG = "/dev/termination-log";
  private static final String OF_EVERYBODY = "rw-rw-rw-";

  /// The mode of a volume with `fsGroup`: the setgid bit makes new files inherit the group.
  private static final int GROUP_WRITABLE = 02775;

  /// A file or directory of the host that is mounted into a container.
  public record Mount(Path source, String target, boolean writable) {}

  /// The result of a Job.
  ///
  /// @param exit the exit status
  /// @param message the termination message; empty if the Job wrote none
  /// @param log the standard output and standard error
  public record Ended(int exit, String message, String log) {
    /// Checks the result in the same way as [CopyOutcome#expect]. The returned outcome has no
    /// measurements.
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

  /// Returns a container without a volume. The only settings are the HTTP address, the claim's name
  /// and [Launch#FLAGS].
  public static Container of(String service) {
    Container shipped =
        new Container(
            service,
            Map.of(
                "POPULATOR_CLAIM_NAME", "some-pvc-name",
                "QUARKUS_HTTP_HOST", "127.0.0.1",
                "QUARKUS_HTTP_PORT", "0"),
            List.of(),
            List.of(),
            0,
            List.of());
    return Launch.FLAGS.isEmpty() ? shipped : shipped.with(JAVA_OPTIONS, Launch.FLAGS);
  }

  /// Returns a container with a Filesystem volume. Changes the group of the directory to [#USER]
  /// and makes the directory writable for this group, like a volume of a pod with `fsGroup`.
  public static Container on(String service, Path directory) throws IOException {
    Files.setAttribute(directory, "unix:gid", USER);
    Files.setAttribute(directory, "unix:mode", GROUP_WRITABLE);
    return of(service).mount(directory, VOLUME, true);
  }

  /// Returns a container with a Block volume.
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

  /// Mounts a file or directory.
  ///
  /// @param target the absolute path in the container
  public Container mount(Path source, String target, boolean writable) {
    List<Mount> more = new ArrayList<>(mounts);
    more.add(new Mount(source, target, writable));
    return new Container(service, settings, more, device, memoryBytes, arguments);
  }

  /// Sets a memory limit, as `resources.limits.memory` does for a pod, and removes [Launch#FLAGS].
  public Container memory(long bytes) {
    return new Container(service, shipped().settings, mounts, device, bytes, arguments);
  }

  /// Returns the same container without [Launch#FLAGS], for large disks.
  public Container shipped() {
    Map<String, String> fewer = new HashMap<>(settings);
    fewer.remove(JAVA_OPTIONS);
    return new Container(service, fewer, mounts, device, memoryBytes, arguments);
  }

  /// Sets the arguments after the image's entrypoint.
  public Container arguments(String... given) {
    return new Container(service, settings, mounts, device, memoryBytes, List.of(given));
  }

  /// Starts the container and waits until the service listens.
  public Service start() throws IOException, InterruptedException {
    Service service = begin();
    service.awaitListening();
    return service;
  }

  /// Starts the container, and does not wait until the service listens.
  public Service begin() throws IOException {
    return Runc.begin(this);
  }

  /// Starts the container as a Job, and does not wait for the end of the Job.
  ///
  /// @param message the file for the Job's termination message; the file must not exist yet
  public Service beginOnce(Path message) throws IOException {
    Files.createFile(message);
    Files.setPosixFilePermissions(message, PosixFilePermissions.fromString(OF_EVERYBODY));
    return mount(message, TERMINATION_LOG, true).arguments("--once").begin();
  }

  /// Runs the container as a Job, and waits until the Job ends. Fails the test if the Job still
  /// runs after `limit`.
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
