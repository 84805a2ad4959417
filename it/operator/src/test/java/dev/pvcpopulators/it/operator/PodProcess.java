package dev.pvcpopulators.it.operator;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.Launch;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSource;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeDevice;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// One pod of the [ProcessNode]. The pod's process runs a packaged service, or the program in the
/// container's `command`. Except for a short process ([ProcessNode#FAKE_DISK]), the process has its
/// own mount namespace and its own root. The root contains the directories of the computer that
/// runs the tests. The pod's volumes are mounted over these directories.
final class PodProcess {
  private static final int MESSAGE_BYTES = 4096;
  private static final int LOG_BYTES = 2048;
  private static final String LISTENING = " Listening on: ";
  private static final String ACCOUNT_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount";

  /// The script that prepares the new root and starts the process. The script's first three
  /// arguments are the new root, the termination log and the checkout. The next arguments are the
  /// source and the target of each bind mount. The last arguments are `--` and the program with its
  /// arguments.
  private static final String SCRIPT =
      """
      set -eu
      root=$1; termination=$2; checkout=$3; shift 3
      mount -t tmpfs root "$root"
      for entry in /*; do
        inside=$root$entry
        if [ -L "$entry" ]; then cp -d "$entry" "$inside"
        elif [ "$entry" = /dev ]; then mkdir "$inside"
        elif [ "$entry" = /etc ]; then
          # The mount points of volumes below /etc must not appear in the machine's /etc.
          mkdir "$inside" "$root/.etc" "$root/.etc/upper" "$root/.etc/work"
          mount -t overlay overlay "$inside" \\
            -o "lowerdir=/etc,upperdir=$root/.etc/upper,workdir=$root/.etc/work"
        elif [ -d "$entry" ]; then mkdir "$inside"; mount --rbind "$entry" "$inside"
        fi
      done
      mount -t tmpfs dev "$root/dev"
      for device in null zero full random urandom tty; do
        : >"$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"
      done
      ln -s /proc/self/fd "$root/dev/fd"
      : >"$root/dev/termination-log"
      mount --bind "$termination" "$root/dev/termination-log"
      while [ "$1" != -- ]; do
        if [ -d "$1" ]; then mkdir -p "$root$2"; else mkdir -p "$root${2%/*}"; : >"$root$2"; fi
        mount --bind "$1" "$root$2"
        shift 2
      done
      shift
      # A volume at /tmp hides a checkout below /tmp.
      [ -d "$root$checkout" ] || { mkdir -p "$root$checkout"; mount --bind "$checkout" "$root$checkout"; }
      exec chroot "$root" "$@"
      """;

  private final KubernetesClient client;
  private final Path directory;
  private final Pod pod;
  private final String address;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CountDownLatch begun = new CountDownLatch(1);
  private volatile @Nullable Process process;

  PodProcess(KubernetesClient client, Path directory, Pod pod, String address) {
    this.client = client;
    this.directory = directory;
    this.pod = pod;
    this.address = address;
  }

  String address() {
    return address;
  }

  String namespace() {
    return pod.getMetadata().getNamespace();
  }

  String name() {
    return pod.getMetadata().getName();
  }

  Container container() {
    return pod.getSpec().getContainers().getFirst();
  }

  /// Returns true only at the first call, so that only one caller ends the process.
  boolean beginsToEnd() {
    return ending.compareAndSet(false, true);
  }

  /// Waits until the pod's Secrets and ConfigMaps exist, as a kubelet does, and starts the process.
  void start() throws IOException, InterruptedException {
    try {
      Files.createDirectories(directory.resolve("root"));
      Path termination = Files.writeString(directory.resolve("termination-log"), "");
      ProcessBuilder builder =
          new ProcessBuilder(
                  annotation(ProcessNode.FAKE_DISK) == null ? service(termination) : fakeCommand())
              .redirectErrorStream(true)
              .redirectOutput(log().toFile())
              .directory(Path.of("/").toFile());
      Map<String, String> environment = builder.environment();
      environment.keySet().retainAll(List.of("PATH", "HOME", "JAVA_HOME", "LANG"));
      if (annotation(ProcessNode.SHIPPED) == null) {
        environment.put("JAVA_OPTS", Launch.FLAGS);
      }
      environment.put("QUARKUS_HTTP_HOST", address);
      if (service().equals("registry-stream-iscsi")) {
        environment.put("REGISTRY_STREAM_ISCSI_BIND", address);
      }
      environment.putAll(variables());
      process = builder.start();
    } finally {
      begun.countDown();
    }
  }

  private @Nullable String annotation(String name) {
    Map<String, String> annotations = pod.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(name);
  }

  private List<String> fakeCommand() throws IOException, InterruptedException {
    String disk = annotation(ProcessNode.FAKE_DISK);
    if (disk == null || disk.isEmpty()) {
      return List.of("true");
    }
    Path volume = bindings().get("/volume");
    if (volume == null) {
      throw new AssertionError("The fake fills directories only");
    }
    return List.of("cp", "--sparse=always", disk, volume.resolve("disk.img").toString());
  }

  private List<String> service(Path termination) throws IOException, InterruptedException {
    Path checkout = Command.root();
    List<String> command =
        new ArrayList<>(
            List.of(
                "unshare",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                SCRIPT,
                "pod",
                directory.resolve("root").toString(),
                termination.toString(),
                checkout.toString()));
    bindings().forEach((inside, outside) -> command.addAll(List.of(outside.toString(), inside)));
    command.add("--");
    List<String> program = container().getCommand();
    command.addAll(
        program.isEmpty()
            ? List.of(checkout.resolve(service()).resolve("run.sh").toString())
            : program);
    command.addAll(container().getArgs());
    return command;
  }

  /// Returns the last component of the image's name, without tag and digest.
  private String service() {
    String image = container().getImage();
    String last = image.substring(image.lastIndexOf('/') + 1);
    return last.split("[:@]", 2)[0];
  }

  private Map<String, String> variables() throws InterruptedException {
    Map<String, String> variables = new HashMap<>();
    for (EnvVar variable : container().getEnv()) {
      EnvVarSource from = variable.getValueFrom();
      variables.put(
          variable.getName(),
          from == null
              ? Optional.ofNullable(variable.getValue()).orElse("")
              : value(variable.getName(), from));
    }
    return variables;
  }

  private String value(String name, EnvVarSource from) throws InterruptedException {
    if (from.getSecretKeyRef() != null) {
      String encoded =
          secret(from.getSecretKeyRef().getName()).get(from.getSecretKeyRef().getKey());
      return new String(Base64.getDecoder().decode(encoded), UTF_8);
    }
    if (from.getConfigMapKeyRef() != null) {
      return Optional.ofNullable(
              configMap(from.getConfigMapKeyRef().getName())
                  .get(from.getConfigMapKeyRef().getKey()))
          .orElseThrow();
    }
    if (from.getFieldRef() != null) {
      return switch (from.getFieldRef().getFieldPath()) {
        case "metadata.name" -> pod.getMetadata().getName();
        case "metadata.namespace" -> pod.getMetadata().getNamespace();
        case "metadata.uid" -> pod.getMetadata().getUid();
        case "spec.nodeName" -> ProcessNode.NAME;
        case "status.podIP" -> address;
        default -> throw new AssertionError("Unsupported by this node: " + from.getFieldRef());
      };
    }
    throw new AssertionError("Unsupported by this node: the source of variable " + name);
  }

  private Map<String, String> secret(String name) throws InterruptedException {
    return Waiting.until(
        "Secret " + name,
        () ->
            Optional.ofNullable(
                    client
                        .secrets()
                        .inNamespace(pod.getMetadata().getNamespace())
                        .withName(name)
                        .get())
                .map(Secret::getData));
  }

  private Map<String, String> configMap(String name) throws InterruptedException {
    return Waiting.until(
        "ConfigMap " + name,
        () ->
            Optional.ofNullable(
                    client
                        .configMaps()
                        .inNamespace(pod.getMetadata().getNamespace())
                        .withName(name)
                        .get())
                .map(ConfigMap::getData));
  }

  /// Returns the sources of the bind mounts, by the path in the pod.
  private Map<String, Path> bindings() throws IOException, InterruptedException {
    Map<String, Volume> volumes = new HashMap<>();
    pod.getSpec().getVolumes().forEach(volume -> volumes.put(volume.getName(), volume));
    Map<String, Path> bindings = new HashMap<>();
    for (VolumeMount mount : container().getVolumeMounts()) {
      if (!mount.getMountPath().equals(ACCOUNT_TOKEN)) {
        Path source = source(volumes.get(mount.getName()));
        bindings.put(
            mount.getMountPath(),
            mount.getSubPath() == null ? source : source.resolve(mount.getSubPath()));
      }
    }
    for (VolumeDevice device : container().getVolumeDevices()) {
      bindings.put(device.getDevicePath(), source(volumes.get(device.getName())));
    }
    return bindings;
  }

  private Path source(@Nullable Volume volume) throws IOException, InterruptedException {
    if (volume == null) {
      throw new AssertionError("No such volume in " + pod.getMetadata().getName());
    }
    if (volume.getPersistentVolumeClaim() != null) {
      return claimed(volume.getPersistentVolumeClaim().getClaimName());
    }
    Path files = Files.createDirectories(directory.resolve("volumes").resolve(volume.getName()));
    if (volume.getSecret() != null) {
      for (Map.Entry<String, String> file : secret(volume.getSecret().getSecretName()).entrySet()) {
        Files.write(files.resolve(file.getKey()), Base64.getDecoder().decode(file.getValue()));
      }
      for (var item : volume.getSecret().getItems()) {
        Files.copy(files.resolve(item.getKey()), files.resolve(item.getPath()));
      }
    } else if (volume.getConfigMap() != null) {
      for (Map.Entry<String, String> file : configMap(volume.getConfigMap().getName()).entrySet()) {
        Files.writeString(files.resolve(file.getKey()), file.getValue());
      }
    } else if (volume.getEmptyDir() == null) {
      throw new AssertionError("Unsupported by this node: volume " + volume);
    }
    return files;
  }

  private Path claimed(String claim) {
    PersistentVolume volume =
        client
            .persistentVolumes()
            .withName(
                client
                    .persistentVolumeClaims()
                    .inNamespace(pod.getMetadata().getNamespace())
                    .withName(claim)
                    .require()
                    .getSpec()
                    .getVolumeName())
            .require();
    return PageProvisioner.location(volume);
  }

  /// Waits until the process ends. The process must have been started.
  ///
  /// @return the exit status; 128 plus the signal's number if a signal ended the process
  int await() throws InterruptedException {
    Process started = process;
    if (started == null) {
      throw new AssertionError("It was not started");
    }
    return started.waitFor();
  }

  /// Sends SIGTERM. If the process still runs after the grace period, sends SIGKILL. Returns after
  /// the end of the process.
  void terminate(long graceSeconds) throws InterruptedException {
    begun.await();
    Process started = process;
    if (started != null) {
      started.destroy();
      if (!started.waitFor(graceSeconds, TimeUnit.SECONDS)) {
        started.destroyForcibly().waitFor();
      }
    }
  }

  /// Sends SIGKILL, and waits until the process ends. Has no effect before the start.
  void kill() {
    Process started = process;
    if (started != null) {
      started.destroyForcibly().onExit().join();
    }
  }

  boolean alive() {
    Process started = process;
    return started != null && started.isAlive();
  }

  /// Returns the end of the termination log. This method returns the end of the process's log
  /// instead if three conditions are true: the termination log is empty, the process has failed,
  /// and the container has the policy `FallbackToLogsOnError`.
  String terminationMessage() throws IOException, InterruptedException {
    String message = end(directory.resolve("termination-log"), MESSAGE_BYTES);
    return message.isEmpty()
            && await() != 0
            && "FallbackToLogsOnError".equals(container().getTerminationMessagePolicy())
        ? end(log(), LOG_BYTES)
        : message;
  }

  /// Returns the time of the log line that announces the service's port.
  Instant listening() throws IOException {
    String line =
        Files.readAllLines(log()).stream()
            .filter(logged -> logged.contains(LISTENING))
            .findFirst()
            .orElseThrow();
    return Instant.parse(line.substring(0, line.indexOf(' ')));
  }

  private Path log() {
    return directory.resolve("log");
  }

  private static String end(Path file, int bytes) throws IOException {
    byte[] all = Files.readAllBytes(file);
    int from = Math.max(0, all.length - bytes);
    return new String(all, from, all.length - from, UTF_8);
  }
}
