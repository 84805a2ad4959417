package dev.pvcpopulators.it.operator;

import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// A fake node with its kubelet. The node runs each pod as a process. The process is the program in
/// the container's `command`. If there is no `command`, the process is the packaged service with
/// the name of the container's image. Each pod has its own loopback address. Each process has its
/// own mount namespace, except the short processes of [#FAKE_DISK]. The node reports the start and
/// the end of each process, and forwards ports to pods ([KubeletPort]).
///
/// This node does not support restarts, probes, limits, users, init containers, several containers
/// in a pod, or tokens of ServiceAccounts. Every process runs as root.
final class ProcessNode implements AutoCloseable {
  static final String NAME = "process-node";

  /// Annotation of a pod that runs a short process instead of a service. The value is the path of a
  /// raw disk. The process copies this disk into the pod's volume. If the value is empty, the
  /// process does nothing.
  static final String FAKE_DISK = "process-node.test/fake-disk";

  /// Annotation of a pod in a load test. The pod's service runs without
  /// [dev.pvcpopulators.it.Launch#FLAGS]. The value of the annotation has no meaning.
  static final String SHIPPED = "process-node.test/shipped";

  private static final int ADDRESSES = 250;

  private final KubernetesClient client;
  private final Path directory;
  private final Map<String, PodProcess> running = new ConcurrentHashMap<>();
  private final AtomicInteger addresses = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> complaints = new ConcurrentLinkedQueue<>();
  private final KubeletPort kubelet;
  private final SharedIndexInformer<Pod> pods;

  private ProcessNode(KubernetesClient client, Path directory, Path certificate)
      throws IOException {
    this.client = client;
    this.directory = directory;
    this.kubelet = KubeletPort.open(certificate, this::address);
    register();
    this.pods =
        client
            .pods()
            .inAnyNamespace()
            .withField("spec.nodeName", NAME)
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(Pod pod) {
                    observe(pod);
                  }

                  @Override
                  public void onUpdate(Pod before, Pod pod) {
                    observe(pod);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean unknown) {
                    PodProcess process = running.remove(pod.getMetadata().getUid());
                    if (process != null) {
                      process.kill();
                    }
                  }
                });
  }

  /// Registers the node and runs the pods that are bound to it.
  ///
  /// @param directory an empty directory for the pods' files and logs
  /// @param certificate the certificate of the kubelet's port, see [KubeletPort#open]
  static ProcessNode start(KubernetesClient client, Path directory, Path certificate)
      throws IOException {
    return new ProcessNode(client, directory, certificate);
  }

  private void register() {
    client.nodes().resource(node()).create();
    // The API server ignores the status when it creates a node.
    client.nodes().resource(node()).patchStatus();
  }

  private Node node() {
    Map<String, Quantity> room =
        Map.of(
            "cpu", new Quantity("64"),
            "memory", new Quantity("256Gi"),
            "ephemeral-storage", new Quantity("256Gi"),
            "pods", new Quantity("1000"));
    String now = now();
    return new NodeBuilder()
        .withNewMetadata()
        .withName(NAME)
        .addToLabels("kubernetes.io/hostname", NAME)
        .addToLabels("kubernetes.io/os", "linux")
        .addToLabels("kubernetes.io/arch", "amd64")
        .endMetadata()
        .withNewStatus()
        .withCapacity(room)
        .withAllocatable(room)
        // Without a Hostname address, the API server resolves the host name in the node's label.
        .addNewAddress()
        .withType("Hostname")
        .withAddress("127.0.0.1")
        .endAddress()
        .withNewDaemonEndpoints()
        .withNewKubeletEndpoint(kubelet.number())
        .endDaemonEndpoints()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .withReason("ProcessNodeReady")
        .withLastHeartbeatTime(now)
        .withLastTransitionTime(now)
        .endCondition()
        .endStatus()
        .build();
  }

  private void observe(Pod pod) {
    String uid = pod.getMetadata().getUid();
    PodProcess process = running.get(uid);
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      // If a pod with a deletion timestamp has no process, the node removes the pod from the API
      // server at once. This method runs at each change of the pod, but must end the pod's process
      // only once.
      if (process == null) {
        Thread.startVirtualThread(() -> guarded(pod, () -> release(pod)));
      } else if (process.beginsToEnd()) {
        Thread.startVirtualThread(() -> guarded(pod, () -> end(pod, process)));
      }
    } else if (process == null && "Pending".equals(pod.getStatus().getPhase())) {
      PodProcess fresh = new PodProcess(client, directory.resolve(uid), pod, address());
      running.put(uid, fresh);
      Thread.startVirtualThread(() -> guarded(pod, () -> run(pod, fresh)));
    }
  }

  /// Returns the next address. All addresses of 127/8 belong to the loopback interface. Two
  /// concurrent test runs rarely use the same addresses.
  private String address() {
    int number = addresses.getAndIncrement();
    return "127.%d.%d.%d"
        .formatted(
            ProcessHandle.current().pid() % ADDRESSES + 2,
            number / ADDRESSES % ADDRESSES,
            number % ADDRESSES + 1);
  }

  /// Returns the address of a pod; empty if the node does not run this pod.
  private Optional<String> address(String namespace, String name) {
    return running.values().stream()
        .filter(process -> process.namespace().equals(namespace) && process.name().equals(name))
        .map(PodProcess::address)
        .findFirst();
  }

  private interface Action {
    void run() throws IOException, InterruptedException;
  }

  private void guarded(Pod pod, Action action) {
    try {
      action.run();
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      complaints.add(pod.getMetadata().getName() + ": " + trace);
    }
  }

  private void run(Pod pod, PodProcess process) throws IOException, InterruptedException {
    process.start();
    String started = now();
    report(
        pod,
        "Running",
        process,
        new ContainerStateBuilder().withNewRunning().withStartedAt(started).endRunning());
    int status = process.await();
    report(
        pod,
        status == 0 ? "Succeeded" : "Failed",
        process,
        new ContainerStateBuilder()
            .withNewTerminated()
            .withExitCode(status)
            .withReason(status == 0 ? "Completed" : "Error")
            .withMessage(process.terminationMessage())
            .withStartedAt(started)
            .withFinishedAt(now())
            .endTerminated());
  }

  private void report(Pod pod, String phase, PodProcess process, ContainerStateBuilder state) {
    boolean ready = phase.equals("Running");
    Pod reported =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace(pod.getMetadata().getNamespace())
            .withName(pod.getMetadata().getName())
            .withUid(pod.getMetadata().getUid())
            .endMetadata()
            .withNewStatus()
            .withPhase(phase)
            .withPodIP(process.address())
            .withHostIP("127.0.0.1")
            .withStartTime(now())
            .addNewCondition()
            .withType("Ready")
            .withStatus(ready ? "True" : "False")
            .endCondition()
            .withContainerStatuses(
                new ContainerStatusBuilder()
                    .withName(process.container().getName())
                    .withImage(process.container().getImage())
                    .withImageID("")
                    .withReady(ready)
                    .withStarted(ready)
                    .withRestartCount(0)
                    .withState(state.build())
                    .build())
            .endStatus()
            .build();
    client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .subresource("status")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), reported);
  }

  private void end(Pod pod, PodProcess process) throws InterruptedException {
    Long grace = pod.getMetadata().getDeletionGracePeriodSeconds();
    process.terminate(grace == null ? 0 : grace);
    release(pod);
  }

  /// Removes a pod from the API server. The pod must not have a running process.
  private void release(Pod pod) {
    try {
      client
          .pods()
          .inNamespace(pod.getMetadata().getNamespace())
          .withName(pod.getMetadata().getName())
          .withGracePeriod(0)
          .delete();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /// Sends SIGKILL to the processes of a namespace's pods, as the OOM killer does.
  void kill(String namespace) {
    running.values().stream()
        .filter(process -> process.namespace().equals(namespace))
        .forEach(PodProcess::kill);
  }

  /// Returns the time at which the service of a running pod began to accept requests.
  Instant listening(Pod pod) throws IOException {
    PodProcess process = running.get(pod.getMetadata().getUid());
    if (process == null) {
      throw new AssertionError("No process runs for pod " + pod.getMetadata().getName());
    }
    return process.listening();
  }

  /// Returns the errors of the node itself, for a failed test's evidence file.
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  /// Returns the number of pods whose process is running.
  long alive() {
    return running.values().stream().filter(PodProcess::alive).count();
  }

  @Override
  public void close() throws IOException {
    kubelet.close();
    pods.close();
    running.values().forEach(PodProcess::kill);
  }
}
