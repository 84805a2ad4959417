package dev.pvcpopulators.it.operator;

import dev.pvcpopulators.it.Command;
import dev.pvcpopulators.it.FreePort;
import dev.pvcpopulators.it.cluster.ControlPlane;
import dev.pvcpopulators.it.cluster.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The packaged operator, as a process with the rights of the account that its manifests give it.
/// Closing it kills it.
final class OperatorProcess implements AutoCloseable {
  /// Its name in the audit log.
  static final String USER = "system:serviceaccount:pvc-populators:operator";

  private static final String MANIFESTS = "kubernetes/examples/operator";

  private final ServerProcess process;
  private final int port;

  private OperatorProcess(ServerProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /// Applies the manifests, but for the Deployment, as its page says.
  ///
  /// @return a token of the operator's account
  static String install(ControlPlane plane) throws IOException {
    String admin = "--kubeconfig=" + plane.admin();
    Command.run(
        "kubectl",
        admin,
        "apply",
        // Kubernetes 1.20 knows no CEL.
        "--validate=false",
        // The Deployment is all that has the label.
        "--selector=app.kubernetes.io/name!=operator",
        "-k",
        Command.root().resolve(MANIFESTS).toString());
    return Command.run(
            "kubectl",
            admin,
            "create",
            "token",
            "operator",
            "--namespace=pvc-populators",
            "--duration=24h")
        .strip();
  }

  /// Starts it; it is not ready yet.
  ///
  /// @param settings its variables
  static OperatorProcess start(Path log, Path kubeconfig, Map<String, String> settings)
      throws IOException {
    int port = FreePort.any();
    List<String> command =
        new ArrayList<>(
            List.of(
                "env",
                "KUBECONFIG=" + kubeconfig,
                "QUARKUS_HTTP_HOST=127.0.0.1",
                "QUARKUS_HTTP_PORT=" + port));
    settings.forEach((name, value) -> command.add(name + "=" + value));
    command.add(Command.root().resolve("operator/run.sh").toString());
    return new OperatorProcess(ServerProcess.start(log, command), port);
  }

  /// Waits until its watches have what the cluster has.
  void awaitReady() throws IOException, InterruptedException {
    process.awaitReady(() -> get("/q/health/ready").status() == 0);
  }

  private Command.Ran get(String path) throws IOException {
    return Command.tried(
        List.of("curl", "-sf", "--max-time", "10", "http://127.0.0.1:%d%s".formatted(port, path)));
  }

  /// Its metrics, in Prometheus' text format.
  String metrics() throws IOException {
    return get("/q/metrics").ok().out();
  }

  /// Whether it runs.
  boolean alive() {
    return process.alive();
  }

  /// The most memory that it had in RAM, in bytes.
  long mostResidentBytes() throws IOException {
    return process.mostResidentBytes();
  }

  /// The last lines of its log.
  String tail() throws IOException {
    return process.tail();
  }

  /// Ends it as a kubelet does, by SIGTERM.
  ///
  /// @return its exit code
  int terminate() throws IOException, InterruptedException {
    return process.terminate();
  }

  /// SIGKILL.
  @Override
  public void close() {
    process.close();
  }
}
